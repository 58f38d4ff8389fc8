namespace DroneDelivery.Amqp;

/// <summary>The server side of a connection. Called on its read loop, one call at a time; must not block.</summary>
public interface IConnectionListener
{
    /// <summary>
    /// To be answered, now or later and from any thread, with <see cref="AmqpSession.Accept"/> or <see cref="AmqpSession.RefuseLink"/>.
    /// </summary>
    void OnAttach(AmqpSession session, Attach attach);

    /// <summary>
    /// Deliveries and dispositions may be gathered until this call and then be worked on together: it comes behind the last frame of each
    /// read, and ahead of every frame that is neither a transfer nor a disposition.
    /// </summary>
    void OnGathered() { }

    /// <summary>What kept messages back (a write backlog, unsettled or unfinished deliveries) is over. Called on the write loop.</summary>
    void OnWriteDrained() { }

    void OnSessionEnded(AmqpSession session) { }

    /// <summary>The last call; OnDetached of every link came before.</summary>
    void OnClosed(AmqpConnection connection, AmqpError? error) { }

    /// <summary>The link whose own attach the peer answers with this one, and which has been told; null: it is an offer. Called under the
    /// lock.</summary>
    internal AmqpLink? TakeAnswer(AmqpSession session, Attach attach) => null;
}

/// <summary>Listens to a client that is turned away.</summary>
internal sealed class Unserved : IConnectionListener
{
    public void OnAttach(AmqpSession session, Attach attach) =>
        session.RefuseLink(attach, new AmqpError(ErrorConditions.NotAllowed, "This connection is being closed."));
}
