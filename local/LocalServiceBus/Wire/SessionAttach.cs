using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A client's attach that is answered when there is a session for it, and the link from then on.</summary>
/// <param name="wanted">Which session.</param>
/// <param name="session">Of AMQP.</param>
/// <param name="attach">The client's.</param>
/// <param name="queue">With sessions.</param>
/// <param name="accept">Makes the link.</param>
/// <param name="refuse">Tells the client why there is none.</param>
/// <param name="end">Ends the link.</param>
/// <param name="onFailed">Told what could not be told to the client: nobody else has to do with it.</param>
internal sealed class SessionAttach(
    SessionFilter wanted,
    AmqpSession session,
    Attach attach,
    Queue queue,
    Func<SessionHold, AmqpLink> accept,
    Action<SessionAttach, AmqpError> refuse,
    Action<AmqpLink, AmqpError> end,
    Action<SessionAttach, Exception> onFailed)
    : SessionRequest(wanted.SessionId, wanted.Patience)
{
    private readonly Lock _gate = new();
    private AmqpLink? _link;
    private bool _isLost;

    public AmqpSession Session => session;
    public Attach Attach => attach;
    public Queue Queue => queue;

    public override LinkId? Link => new(session.Connection, attach.Name);

    // The client may have detached since, and its listener hears nothing of the end of a link that was not accepted.
    public override bool IsGone => attach.IsGone;

    public override void OnGiven(SessionHold hold)
    {
        try
        {
            var link = accept(hold);
            lock (_gate)
            {
                _link = link;
                if (!_isLost)
                    return;
            }
            end(link, Refusal.SessionLockLost);
        }
        catch (Exception error)
        {
            // Whoever brought the message that made the session free has nothing to do with it.
            queue.GiveBack(hold);
            onFailed(this, error);
        }
    }

    public override void OnRefused(SessionRefusal why) => Tell(() => refuse(this, why switch
    {
        SessionRefusal.Held => Refusal.SessionHeld(SessionId!),
        SessionRefusal.TimedOut => Refusal.NoSessionFree,
        SessionRefusal.Deleted => Refusal.NotFound(queue.Name),
        _ => Refusal.Failed(queue.Name),
    }));

    public override void OnLost()
    {
        lock (_gate)
        {
            _isLost = true;
            if (_link is null)
                return;
        }
        Tell(() => end(_link, Refusal.SessionLockLost));
    }

    // On a timer's thread what is thrown would end the process: an answer may not fit into the client's frames.
    private void Tell(Action action)
    {
        try
        {
            action();
        }
        catch (Exception error)
        {
            onFailed(this, error);
        }
    }
}
