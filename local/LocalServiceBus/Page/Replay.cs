using System.Collections.Concurrent;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Page;

/// <summary>Resends dead letters, unchanged, to the queue or subscription they came from. Each is resent and removed in
/// one transaction. Messages that are dead-lettered after the start aren't included.</summary>
/// <param name="only">The sequence number of the message to resend; <c>null</c> for all.</param>
internal sealed class Replay(Queue deadLetters, Queue target, IJournal journal, long? only)
{
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ConcurrentQueue<MessageLock> _unwanted = [];
    private readonly long _last = deadLetters.Change(0L, () => deadLetters.Contents.LastSequenceNumber);

    public int Replayed { get; private set; }

    /// <summary>The reason why the target rejected a message; <c>Done</c> if it accepted all.</summary>
    public QueueResult Result { get; private set; } = QueueResult.Done;

    public async Task RunAsync(CancellationToken cancellationToken)
    {
        var receiver = deadLetters.AddReceiver(
            ReceiveMode.PeekLock,
            (message, held) => Take(message, held!),
            onFailed: error => _done.TrySetException(error),
            onExhausted: () => _done.TrySetResult(),
            isOwn: true
        );
        try
        {
            receiver.SignalDrain();
            await _done.Task.WaitAsync(cancellationToken);
        }
        finally
        {
            receiver.Close();
            // Release them last; otherwise, this receiver would get them again.
            foreach (var held in _unwanted)
                deadLetters.Do(new SettleRequest(deadLetters, held.Token, Settlement.Release));
        }
    }

    private DeliveryResult Take(QueuedMessage message, MessageLock held)
    {
        var isWanted = message.SequenceNumber <= _last && (only is null || only == message.SequenceNumber);
        if (isWanted)
            Resend(message, held);
        else
            _unwanted.Enqueue(held);
        var goesOn = Result == QueueResult.Done && message.SequenceNumber < _last && !(isWanted && only is not null);
        if (goesOn)
            return DeliveryResult.SentWantsMore;
        _done.TrySetResult();
        return DeliveryResult.SentEnough;
    }

    private void Resend(QueuedMessage message, MessageLock held)
    {
        // Without the message ID, so that duplicate detection accepts it.
        var send = new SendRequest(target, [message.Content with { MessageId = null }]);
        var settle = new SettleRequest(deadLetters, held.Token, Settlement.Complete);
        var commit = Commit.Run([send, settle], journal);
        if (commit.IsDone)
        {
            Replayed++;
            return;
        }
        _unwanted.Enqueue(held);
        // An expired lock doesn't end the replay.
        if (commit.Rejected != settle)
            Result = send.Result;
    }
}
