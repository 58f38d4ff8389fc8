namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>Random operations on a queue and on a model of it; after each of them both hold the same.</summary>
internal abstract class QueueSequence(Queue queue, ManualTimeProvider clock, QueueModel model, int seed)
{
    private readonly List<(MessageLock Lock, QueueModel.Entry Entry)> _locks = [];

    public Queue Queue { get; } = queue;
    protected ManualTimeProvider Clock { get; } = clock;
    protected QueueModel Model { get; } = model;
    protected Random Random { get; } = new(seed);

    public void Play(int operations)
    {
        Model.Now = Clock.GetUtcNow();
        for (var i = 0; i < operations; i++)
        {
            var done = Next();
            Compare($"After operation {i} of seed {seed}, {done}");
        }
    }

    /// <returns>What was done.</returns>
    protected abstract string Next();

    protected virtual void Compare(string after)
    {
        var expected = Model.Messages.OrderBy(it => it.Number).Select(it => it.ToString());
        var found = Queue.Look().Messages.Select(it => $"{it.SequenceNumber} {it.Content.SessionId} {it.State} {it.DeliveryCount}");
        Assert.True(
            expected.SequenceEqual(found), $"{after}\nexpected {string.Join(", ", expected)}\nfound    {string.Join(", ", found)}");
        Assert.True(Model.Dead == Queue.Counts().DeadLetter, $"{after}: dead letters");
    }

    protected string Advance(TimeSpan by)
    {
        Model.AdvanceTo(Clock.GetUtcNow() + by);
        Clock.Advance(by);
        return $"{by} pass";
    }

    protected string Receive(TestReceiver receiver, List<QueueModel.Entry> expected)
    {
        receiver.Close();
        Assert.Equal(expected.Select(it => it.Number), receiver.Locks.Select(it => it.SequenceNumber));
        foreach (var (held, entry) in receiver.Locks.Zip(expected))
            Keep(held, entry);
        return $"receive {receiver.Locks.Count}";
    }

    protected void Keep(MessageLock held, QueueModel.Entry entry)
    {
        entry.Held = held;
        _locks.Add((held, entry));
    }

    protected (MessageLock Lock, QueueModel.Entry Entry)? AnyLock() => _locks.Count == 0 ? null : _locks[Random.Next(_locks.Count)];

    /// <summary>A token is good as long as the lock that came with it: not for the next lock on the same message.</summary>
    protected bool IsHeld(MessageLock held, QueueModel.Entry entry) =>
        entry.Held == held && Model.Messages.Contains(entry) && entry.State == MessageState.Locked;

    protected string Settle()
    {
        if (AnyLock() is not var (held, entry))
            return "nothing to settle";
        _locks.Remove((held, entry));
        var (settlement, isHeld) = (AnySettlement(), IsHeld(held, entry));
        var result = Queue.Settle(held, settlement);
        Assert.True(isHeld == (result == QueueResult.Done), $"Seed {seed}: {settlement} of {entry} was {result}");
        if (isHeld)
            Model.Settle(entry, settlement);
        return $"settle {entry.Number}: {settlement} {result}";
    }

    protected Settlement AnySettlement()
    {
        Dictionary<string, object?>? changes = Random.Next(2) == 0
            ? null
            : new() { ["colour"] = "red", [$"n{Random.Next(3)}"] = Random.Next() };
        return Random.Next(6) switch
        {
            0 => Settlement.Release,
            1 => new Settlement.Abandoned(changes),
            2 => new Settlement.Deferred(changes),
            3 => new Settlement.DeadLettered("why", "because", changes),
            _ => Settlement.Complete,
        };
    }
}
