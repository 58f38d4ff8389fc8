using System.Diagnostics;

namespace DroneDelivery.LocalServiceBus.Entities;

internal sealed partial class QueueContents
{
    /// <summary>The receiver gives the session back, or its lock has ended: then what it has not settled counts as failed.</summary>
    public void EndHold(Session session, bool isExpired)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        QueuedMessage[] held = [.. session.Locked.OrderBy(message => message.SequenceNumber)];
        sessions!.TakeBack(session);
        foreach (var message in held)
        {
            if (isExpired)
                EndLock(message);
            else
                Return(message, Transition.Released);
        }
        sessions.DropIfUnused(session);
    }

    public void RestoreState(string sessionId, byte[] state, DateTimeOffset setAt)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        sessions!.RestoreState(sessions.Of(sessionId), state, setAt);
    }

    /// <summary>The timer that takes the session from its receiver may be late.</summary>
    private bool HasEnded(Lane lane) => lane is Session { Holder: not null } session && session.LockedUntil <= clock.Now;

    private Lane LaneOf(MessageContent content) => sessions is null ? _lane : sessions.Of(content.SessionId!);

    /// <summary>Drops active messages of any session.</summary>
    /// <param name="numbers">From the first to, and with, the last; the first is moved behind what was looked at.</param>
    /// <param name="limit">Of messages that are dropped.</param>
    /// <param name="enqueuedBefore">Later ones stay.</param>
    /// <param name="mostLooked">Of messages that are looked at.</param>
    /// <returns>How many were dropped.</returns>
    public int DeleteActiveOfSessions(ref (long First, long Last) numbers, int limit, DateTimeOffset enqueuedBefore, int mostLooked)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        var last = numbers.Last;
        var looked = _store.From(numbers.First).TakeWhile(message => message.SequenceNumber <= last).Take(mostLooked).ToList();
        numbers.First = looked.Count < mostLooked ? numbers.Last + 1 : looked[^1].SequenceNumber + 1;
        var found = looked.Where(message => message.State == MessageState.Active && message.EnqueuedAt < enqueuedBefore)
            .Take(limit).ToList();
        foreach (var message in found)
            Remove(message, Transition.Purged);
        return found.Count;
    }
}
