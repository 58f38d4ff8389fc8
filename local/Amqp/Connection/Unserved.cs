namespace DroneDelivery.Amqp;

/// <summary>Listens to a client that is turned away.</summary>
internal sealed class Unserved : IConnectionListener
{
    public void OnAttach(AmqpSession session, Attach attach) =>
        session.RefuseLink(attach, new AmqpError(ErrorConditions.NotAllowed, "This connection is being closed."));

    public void OnSessionEnded(AmqpSession session)
    {
        // It never had one.
    }

    public void OnClosed(AmqpConnection connection, AmqpError? error)
    {
        // Nothing was kept for it.
    }
}
