namespace DroneDelivery.Amqp;

/// <summary>The links of a session by both handles (AMQP 1.0 §2.6.2).</summary>
internal sealed class LinkTable(uint remoteMax)
{
    private readonly List<AmqpLink?> _own = [];
    private readonly Dictionary<uint, AmqpLink> _remote = [];
    private uint _ownMax = uint.MaxValue;

    public void LimitHandles(uint? handleMax) => _ownMax = handleMax ?? uint.MaxValue;

    public uint Add(AmqpLink link)
    {
        var free = _own.IndexOf(null);
        if (free >= 0)
        {
            _own[free] = link;
            return (uint)free;
        }
        if (_own.Count > _ownMax)
            throw AmqpSession.Error(ErrorConditions.ResourceLimitExceeded, $"all {_ownMax + 1} handles are in use");
        _own.Add(link);
        return (uint)_own.Count - 1;
    }

    public void Map(uint remoteHandle, AmqpLink link)
    {
        if (remoteHandle > remoteMax)
        {
            throw new AmqpException(
                ErrorConditions.FramingError,
                $"handle {remoteHandle} exceeds the handle-max {remoteMax}"
            );
        }

        if (!_remote.TryAdd(remoteHandle, link))
            throw AmqpSession.Error(ErrorConditions.HandleInUse, $"handle {remoteHandle} is in use");
    }

    public AmqpLink Find(uint remoteHandle) =>
        _remote.TryGetValue(remoteHandle, out var link)
            ? link
            : throw AmqpSession.Error(
                ErrorConditions.UnattachedHandle,
                $"no link is attached to handle {remoteHandle}"
            );

    public void Remove(AmqpLink link, uint remoteHandle)
    {
        _remote.Remove(remoteHandle);
        var own = _own.IndexOf(link);
        if (own >= 0)
            _own[own] = null;
    }

    public List<SenderLink> Senders(AmqpLink? except) => [.. _own.OfType<SenderLink>().Where(link => link != except)];

    public List<AmqpLink> TakeAll()
    {
        List<AmqpLink> all = [.. _own.OfType<AmqpLink>().Union(_remote.Values)];
        _own.Clear();
        _remote.Clear();
        return all;
    }
}
