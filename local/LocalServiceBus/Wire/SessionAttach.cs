using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A client's attach that is answered when there is a session for it, and the link from then on.</summary>
internal sealed class SessionAttach(
    ClientConnection client,
    SessionFilter wanted,
    AmqpSession session,
    Attach attach,
    Queue queue,
    Func<SessionHold, AmqpLink> accept
) : SessionRequest(wanted.SessionId, wanted.Patience)
{
    private AmqpLink? _link;

    public AmqpSession Session => session;
    public Attach Attach => attach;
    public Queue Queue => queue;

    public override LinkId? Link => new(session.Connection, attach.Name);

    // The client may have detached since, and its listener hears nothing of the end of a link that was not accepted.
    public override bool IsGone => attach.IsGone;

    public override void OnGiven(SessionHold hold)
    {
        if (!client.TryRespond(hold, hold => _link = accept(hold)))
            queue.Sessions!.Release(hold);
    }

    public override void OnRefused(QueueResult why) =>
        client.TryRespond(why, why => client.Refuse(this, Refusal.Of(why, queue)));

    public override void OnLost() => client.TryRespond(_link, static link => link?.Detach(Refusal.SessionLockLost));
}
