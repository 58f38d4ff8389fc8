namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>What senders, receivers, operators and time do with a queue, at random.</summary>
internal sealed class RandomOperations(Queue queue, ManualTimeProvider clock, Random random)
{
    private readonly List<MessageLock> _locks = [];
    private readonly List<MessageLock> _deadLocks = [];
    private readonly List<long> _scheduled = [];
    private readonly List<long> _deferred = [];
    private int _sent;

    public void Next()
    {
        switch (random.Next(12))
        {
            case <= 3:
                Send();
                break;
            case <= 5:
                Receive(queue, _locks);
                break;
            case <= 8:
                Settle();
                break;
            case 9:
                clock.Advance(TimeSpan.FromSeconds(random.Next(20)));
                break;
            case 10:
                WorkOnDeadLetters();
                break;
            default:
                DoSomethingRare();
                break;
        }
    }

    private void Send()
    {
        var content = QueueFixture.Content($"message {++_sent}") with
        {
            TimeToLive = random.Next(3) == 0 ? TimeSpan.FromSeconds(random.Next(1, 90)) : null,
            ScheduledEnqueueTime = random.Next(4) == 0 ? clock.GetUtcNow() + TimeSpan.FromSeconds(random.Next(1, 60)) : null,
        };
        var number = queue.Send(content);
        if (content.ScheduledEnqueueTime is not null)
            _scheduled.Add(number);
    }

    private void Receive(Queue from, List<MessageLock> into)
    {
        var mode = random.Next(8) == 0 ? ReceiveMode.ReceiveAndDelete : ReceiveMode.PeekLock;
        var receiver = new TestReceiver(from, random.Next(1, 4), mode);
        receiver.Close();
        into.AddRange(receiver.Locks);
    }

    private void Settle()
    {
        if (Take(_locks) is not { } held)
            return;
        var changes = random.Next(2) == 0
            ? null
            : new Dictionary<string, object?> { ["colour"] = "red", [$"n{random.Next(3)}"] = random.Next() };
        Settlement settlement = random.Next(6) switch
        {
            0 => Settlement.Release,
            1 => new Settlement.Abandoned(changes),
            2 => new Settlement.Deferred(changes),
            3 => new Settlement.DeadLettered("why", "because", changes),
            _ => Settlement.Complete,
        };
        if (queue.Settle(held, settlement) == QueueResult.Done && settlement is Settlement.Deferred)
            _deferred.Add(held.SequenceNumber);
    }

    private void WorkOnDeadLetters()
    {
        Receive(queue.DeadLetterQueue!, _deadLocks);
        if (Take(_deadLocks) is { } held)
            queue.DeadLetterQueue!.Settle(held, random.Next(2) == 0 ? Settlement.Complete : new Settlement.Abandoned());
    }

    private void DoSomethingRare()
    {
        switch (random.Next(5))
        {
            case 0 when Take(_scheduled) is var number and > 0:
                queue.CancelScheduled([number]);
                break;
            case 1 when Take(_deferred) is var number and > 0:
                var taken = queue.ReceiveDeferred([number], random.Next(3) == 0 ? ReceiveMode.ReceiveAndDelete : ReceiveMode.PeekLock);
                _locks.AddRange((taken ?? []).Select(it => it.Lock).OfType<MessageLock>());
                break;
            case 2:
                queue.DeleteActive(1, DateTimeOffset.MaxValue);
                break;
            case 3 when random.Next(8) == 0:
                queue.Purge();
                break;
            default:
                queue.Peek(0, 100);
                break;
        }
    }

    private T? Take<T>(List<T> from)
    {
        if (from.Count == 0)
            return default;
        var index = random.Next(from.Count);
        var taken = from[index];
        from.RemoveAt(index);
        return taken;
    }
}
