using System.Collections.Concurrent;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Page;

/// <summary>Resends dead letters, as they were sent, to the queue or subscription they came from: each is sent and removed together. What
/// is dead-lettered after the start is left alone.</summary>
/// <param name="only">The sequence number of one of them, or <c>null</c> for all.</param>
internal sealed class Replay(Queue deadLetters, Queue target, IJournal journal, long? only)
{
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ConcurrentQueue<MessageLock> _unwanted = [];
    private readonly long _last = deadLetters.Change(0L, () => deadLetters.Contents.LastSequenceNumber);

    public int Replayed { get; private set; }

    /// <summary>Why the target accepts no more of them; done: it accepted all.</summary>
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
            receiver.SignalLast();
            await _done.Task.WaitAsync(cancellationToken);
        }
        finally
        {
            receiver.Close();
            // Only now, or they would come at once to this receiver.
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
        // Without its id, which duplicate detection may know.
        var send = new SendRequest(target, [message.Content with { MessageId = null }]);
        var settle = new SettleRequest(deadLetters, held.Token, Settlement.Complete);
        var commit = Commit.Run([send, settle], journal);
        if (commit.IsDone)
        {
            Replayed++;
            return;
        }
        _unwanted.Enqueue(held);
        // After an expired lock the replay goes on.
        if (commit.Refused != settle)
            Result = send.Result;
    }
}
