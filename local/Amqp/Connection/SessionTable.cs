namespace DroneDelivery.Amqp;

/// <summary>The sessions of a connection by both channel numbers (AMQP 1.0 §2.5.1).</summary>
internal sealed class SessionTable(ushort channelMax)
{
    private readonly Dictionary<ushort, AmqpSession> _own = [];

    // Null for an ended session, which may still receive frames.
    private readonly Dictionary<ushort, AmqpSession?> _remote = [];
    private readonly List<AmqpSession> _holdingBack = [];

    /// <summary>Finds the session on the peer's channel; <c>null</c> if it has ended. Needs no lock on the read loop,
    /// which makes all changes.</summary>
    public AmqpSession? Find(ushort remoteChannel) =>
        _remote.TryGetValue(remoteChannel, out var session)
            ? session
            : throw new AmqpException(ErrorConditions.NotAllowed, $"no session has begun on channel {remoteChannel}");

    public AmqpSession Own(ushort channel) =>
        _own.TryGetValue(channel, out var session) && !session.Begun.IsCompleted
            ? session
            : throw new AmqpException(
                ErrorConditions.InvalidField,
                $"begin.remote-channel {channel} does not refer to a begin of this end"
            );

    /// <summary>Creates a session on the lowest available channel.</summary>
    public AmqpSession Add(AmqpConnection connection, SessionOptions options)
    {
        for (var channel = 0; channel <= channelMax; channel++)
        {
            if (_own.ContainsKey((ushort)channel))
                continue;
            var session = new AmqpSession(connection, options, (ushort)channel, _holdingBack);
            _own.Add((ushort)channel, session);
            return session;
        }
        throw new AmqpException(ErrorConditions.ResourceLimitExceeded, $"all {channelMax + 1} channels are in use");
    }

    public void Map(ushort remoteChannel, AmqpSession session)
    {
        if (_remote.GetValueOrDefault(remoteChannel) is not null)
            throw new AmqpException(ErrorConditions.NotAllowed, $"channel {remoteChannel} is in use");
        _remote[remoteChannel] = session;
    }

    public void Remove(ushort remoteChannel, AmqpSession session)
    {
        _remote[remoteChannel] = null;
        _own.Remove(session.Channel);
    }

    public List<AmqpSession> TakeAll()
    {
        List<AmqpSession> all = [.. _own.Values];
        _own.Clear();
        _remote.Clear();
        return all;
    }

    public void WriteHeldBackDispositions()
    {
        foreach (var session in _holdingBack)
            session.WriteHeldBackDispositions();
        _holdingBack.Clear();
    }
}
