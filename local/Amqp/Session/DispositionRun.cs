namespace DroneDelivery.Amqp;

/// <summary>Combines consecutive deliveries in the same state into one disposition (AMQP 1.0 §2.7.6). The range
/// contains no other IDs, because the disposition applies to all of them.</summary>
internal struct DispositionRun(LinkRole role)
{
    private Disposition _range = new() { Role = role };
    private bool _isOpen;

    public bool TryExtend(uint id, DeliveryState? state, bool settled)
    {
        if (!_isOpen || settled != _range.Settled || !Equals(state, _range.State))
            return false;
        if (id == _range.Last + 1)
            _range.Last = id;
        else if (id == _range.First - 1)
            _range.First = id;
        else
            return false;
        return true;
    }

    public void Start(uint id, DeliveryState? state, bool settled)
    {
        _range = Single(_range.Role, id, state, settled);
        _isOpen = true;
    }

    public void Write(AmqpConnection connection, ushort channel)
    {
        if (!_isOpen)
            return;
        _isOpen = false;
        connection.Write(channel, _range);
    }

    public static Disposition Single(LinkRole role, uint id, DeliveryState? state, bool settled) =>
        new()
        {
            Role = role,
            First = id,
            Last = id,
            State = state,
            Settled = settled,
        };
}
