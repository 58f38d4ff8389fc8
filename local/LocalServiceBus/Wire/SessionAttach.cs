using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

internal sealed class SessionAttach(
    ClientConnection client,
    SessionFilter wanted,
    AmqpSession session,
    Attach attach,
    Queue queue,
    Func<SessionHold, AmqpLink> accept
) : SessionRequest(wanted.SessionId, wanted.MaxWait)
{
    private AmqpLink? _link;

    public AmqpSession Session => session;
    public Attach Attach => attach;
    public Queue Queue => queue;

    public override LinkId? Link => new(session.Connection, attach.Name);

    // The client can have detached in the meantime, which isn't reported for links that weren't accepted.
    public override bool IsGone => attach.IsGone;

    public override void OnAssigned(SessionHold hold)
    {
        if (!client.TryRespond(hold, hold => _link = accept(hold)))
            queue.Sessions!.Release(hold);
    }

    public override void OnRejected(QueueResult why) =>
        client.TryRespond(why, why => client.Reject(this, ClientErrors.Of(why, queue)));

    public override void OnLost() =>
        client.TryRespond(_link, static link => link?.Detach(ClientErrors.SessionLockLost));
}
