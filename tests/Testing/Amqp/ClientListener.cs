using DroneDelivery.Amqp;

namespace DroneDelivery.Testing.Amqp;

/// <summary>
/// A listener for a client, which attaches its own links: it only handles the responses, and the end of its sessions.
/// </summary>
internal sealed class ClientListener : IConnectionListener
{
    public AmqpLink? TakeResponse(AmqpSession session, Attach attach) =>
        (session.State as ClientSession)?.TakeResponse(attach);

    public void OnAttach(AmqpSession session, Attach attach) =>
        session.RefuseLink(attach, new AmqpError(ErrorConditions.NotAllowed, "A client has nothing to attach to."));

    public void OnSessionEnded(AmqpSession session) => (session.State as ClientSession)?.Ended.TrySetResult();

    public void OnClosed(AmqpConnection connection, AmqpError? error)
    {
        // Sessions, links, and AmqpConnection.Closed report it.
    }
}
