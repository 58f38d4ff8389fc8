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
        if (!TryTell(() => _link = accept(hold)))
            queue.GiveBack(hold);
    }

    public override void OnRefused(QueueResult why) => TryTell(() => client.Refuse(this, Refusal.Of(why, queue)));

    public override void OnLost() => TryTell(() => _link?.Detach(Refusal.SessionLockLost));

    // Whoever brought the message that made the session free has nothing to do with what is thrown: an answer may not fit into the client's
    // frames. On a timer's thread it would end the process.
    private bool TryTell(Action action)
    {
        try
        {
            action();
            return true;
        }
        catch (Exception error)
        {
            client.OnAnswerFailed(this, error);
            return false;
        }
    }
}
