namespace DroneDelivery.Amqp;

/// <summary>Handles the events of a connection. Called on its read loop, one call at a time. Must not block.</summary>
public interface IConnectionListener
{
    /// <summary>Called when the peer attaches a link. Respond on any thread with <see cref="AmqpSession.Accept"/> or
    /// <see cref="AmqpSession.RefuseLink"/>.</summary>
    void OnAttach(AmqpSession session, Attach attach);

    /// <summary>Called after the last frame of each read, and before each frame other than transfers and dispositions,
    /// so that deliveries and dispositions can be processed in batches.</summary>
    void OnGathered() { }

    /// <summary>Called on the write loop when messages can be sent again after a write backlog or too many unsettled or
    /// unfinished deliveries.</summary>
    void OnWriteDrained() { }

    void OnSessionEnded(AmqpSession session) { }

    /// <summary>Called last, after OnDetached of all links.</summary>
    void OnClosed(AmqpConnection connection, AmqpError? error) { }

    /// <summary>Returns the link that this attach responds to; <c>null</c> if the peer initiated the link. Called under
    /// the lock.</summary>
    internal AmqpLink? TakeResponse(AmqpSession session, Attach attach) => null;
}

internal sealed class RejectedConnection : IConnectionListener
{
    public void OnAttach(AmqpSession session, Attach attach) =>
        session.RefuseLink(attach, new AmqpError(ErrorConditions.NotAllowed, "This connection is being closed."));
}
