using System.Diagnostics;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>When a lock begins and when it ends: a lock duration after the delivery or after its last renewal.</summary>
internal sealed partial class QueueContents
{
    // Random, so that the tokens of two queues, or of a broker before and after its restart, do not meet.
    private long _nonce = BitConverter.ToInt64(Guid.NewGuid().ToByteArray());

    /// <summary>The message that is locked with that token; null when the lock has ended.</summary>
    public QueuedMessage? FindLocked(Guid token, DateTimeOffset now)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        var message = _store.Find(MessageLock.SequenceNumberOf(token));
        return message?.Lock is { } held && held.Token == token && now < EndOf(message, held) ? message : null;
    }

    /// <summary>Of a message that is locked.</summary>
    public DateTimeOffset Renew(QueuedMessage message)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        message.Lock!.Until = clock.Now + Options.LockDuration;
        deadlines.SetLock(message, message.Lock.Until);
        return message.Lock.Until;
    }

    private MessageLock BeginLock(QueuedMessage message)
    {
        var token = MessageLock.TokenFor(message.SequenceNumber, ++_nonce);
        if (sessions is null)
        {
            message.Lock = new MessageLock(token, clock.Now + Options.LockDuration);
            deadlines.SetLock(message, message.Lock.Until);
            return message.Lock;
        }
        // It ends with the lock on its session.
        var session = (Session)message.Lane;
        session.Locked.Add(message);
        message.Lock = new MessageLock(token, session.LockedUntil);
        deadlines.Clear(message);
        return message.Lock;
    }

    private static DateTimeOffset EndOf(QueuedMessage message, MessageLock held) =>
        message.Lane is Session session ? session.LockedUntil : held.Until;

    /// <summary>Its time has come and nobody has settled: the delivery has failed.</summary>
    private void EndLock(QueuedMessage message)
    {
        Totals.ExpiredLocks++;
        Fail(message);
    }

    /// <summary>The lock can have run out since the delivery began; then the message is back already.</summary>
    private static bool IsUnderWay(QueuedMessage message, MessageLock? held) =>
        message.State == MessageState.Locked && message.Lock == held;
}
