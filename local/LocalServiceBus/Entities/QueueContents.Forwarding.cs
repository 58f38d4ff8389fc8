using System.Diagnostics;

namespace DroneDelivery.LocalServiceBus.Entities;

internal sealed partial class QueueContents
{
    /// <summary>A duplicate is dropped, as if it were sent here. The message has the number of its original as the first one, and lives no
    /// longer than that.</summary>
    public void AddForwarded(QueuedMessage original, MessageContent content, string? deadLetterSource, DateTimeOffset now)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        if (Options.RequiresDuplicateDetection && _duplicates.IsKnown(content.MessageId, now, Options.DuplicateDetectionHistoryTimeWindow))
        {
            Totals.Duplicates++;
            return;
        }
        var message = new QueuedMessage(content, now)
        {
            SequenceNumber = ++_lastSequenceNumber,
            EnqueuedSequenceNumber = original.EnqueuedSequenceNumber,
            Hops = original.Hops + 1,
            DeadLetterSource = deadLetterSource ?? original.DeadLetterSource,
            Lane = LaneOf(content),
        };
        message.ChangeProperties(original.ChangedProperties);
        Activate(message, now, original.ExpiresAt);
        Record(Transition.Arrived, message);
        if (Options.RequiresDuplicateDetection)
            _duplicates.Keep(content.MessageId, now);
    }

    /// <summary>A message that is under way cannot arrive elsewhere.</summary>
    public int EndTransfer(QueuedMessage message, Queue transferDeadLetters, IReadOnlyDictionary<string, object?> reason)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        if (message.State != MessageState.Locked)
            return 0;
        Remove(message, Transition.DeadLettered);
        transferDeadLetters.AcceptTransfer(message, reason);
        return 1;
    }
}
