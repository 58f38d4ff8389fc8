namespace DroneDelivery.Amqp;

/// <summary>The server side of a connection. Called on its read loop, one call at a time; must not block.</summary>
public interface IConnectionListener
{
    /// <summary>
    /// To be answered, now or later and from any thread, with <see cref="AmqpSession.AcceptSender"/>,
    /// <see cref="AmqpSession.AcceptReceiver"/> or <see cref="AmqpSession.RefuseLink"/>.
    /// </summary>
    void OnAttach(AmqpSession session, Attach attach);

    /// <summary>
    /// Deliveries and dispositions may be gathered until this call and then be worked on together: it comes behind the last frame of each
    /// read, and ahead of every frame that is neither a transfer nor a disposition.
    /// </summary>
    void OnGathered() { }

    void OnSessionEnded(AmqpSession session) { }

    /// <summary>The last call; OnDetached of every link came before.</summary>
    void OnClosed(AmqpConnection connection, AmqpError? error) { }
}

/// <summary>Listens to a client that is turned away.</summary>
internal sealed class Unserved : IConnectionListener
{
    public void OnAttach(AmqpSession session, Attach attach) =>
        session.RefuseLink(attach, new AmqpError(ErrorConditions.NotAllowed, "This connection is being closed."));
}
