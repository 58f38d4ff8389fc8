using System.Collections.Concurrent;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Page;

/// <summary>Dead letters go back to the queue or subscription whose they are, as their senders sent them. If the broker is killed
/// meanwhile, the one that is under way may be there twice.</summary>
/// <param name="only">The sequence number of one of them; null: all.</param>
internal sealed class Replay(Queue deadLetters, Queue target, long? only)
{
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ConcurrentQueue<MessageLock> _unwanted = [];

    public int Replayed { get; private set; }

    /// <summary>Why the queue takes no more of them; accepted: it took all.</summary>
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
                deadLetters.Settle(held.Token, Settlement.Release);
        }
    }

    private HandOver Take(QueuedMessage message, MessageLock held)
    {
        var isWanted = only is null || only == message.SequenceNumber;
        // Without its id, which duplicate detection may know.
        if (isWanted)
            Result = target.Enqueue([message.Content with { MessageId = null }], new long[1]);
        if (isWanted && Result == QueueResult.Done)
        {
            deadLetters.Settle(held.Token, Settlement.Complete);
            Replayed++;
        }
        else
        {
            _unwanted.Enqueue(held);
        }
        if (Result == QueueResult.Done && (only is null || !isWanted))
            return HandOver.SentWantsMore;
        _done.TrySetResult();
        return HandOver.SentEnough;
    }
}
