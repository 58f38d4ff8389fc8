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

    private Lane LaneOf(MessageContent content) => sessions is null ? _lane : sessions.Of(content.SessionId!);

    private int DeleteActiveOfSessions(int limit, DateTimeOffset enqueuedBefore)
    {
        var found = _store.From(0)
            .Where(message => message.State == MessageState.Active && message.EnqueuedAt < enqueuedBefore)
            .Take(limit)
            .ToList();
        foreach (var message in found)
            Remove(message, Transition.Purged);
        return found.Count;
    }
}
