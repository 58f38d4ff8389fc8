using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Transactions;

/// <summary>One thing that a transaction does to a queue when it is committed.</summary>
internal abstract class TransactionStep(Queue queue)
{
    // Objects of one step; estimated from above.
    protected const long OwnSize = 512;

    public Queue Queue => queue;

    /// <summary>Messages.</summary>
    public virtual int Count => 1;

    /// <summary>What the step keeps in memory until the transaction ends, in bytes.</summary>
    public abstract long Size { get; }

    /// <summary>What no other step of the transaction may have; empty: nothing.</summary>
    public virtual IEnumerable<object> Claims => [];

    /// <summary>Under the queue's lock: whether the step can be done now. It keeps the reason.</summary>
    public abstract bool Check();

    /// <summary>Under the same hold of the lock.</summary>
    public abstract void Apply();

    /// <summary>Another step of the transaction has one of its <see cref="Claims"/>.</summary>
    public virtual void RefuseClaim()
    {
        // Nothing is claimed.
    }
}

/// <summary>Sends messages, or schedules them.</summary>
/// <param name="queue">Where they go.</param>
/// <param name="messages">All of them, or none.</param>
/// <param name="isNumbered">Whether the sender is told their numbers ahead of the commit.</param>
internal sealed class SendStep(Queue queue, MessageContent[] messages, bool isNumbered = false) : TransactionStep(queue)
{
    public override int Count => messages.Length;

    public EnqueueResult Result { get; private set; } = EnqueueResult.Failed;

    /// <summary>Those of the messages; null: they get some with the commit.</summary>
    public long[]? Numbers { get; private set; }

    public override long Size => messages.Sum(message => OwnSize + message.WireSize);

    public override bool Check()
    {
        Result = Queue.CanSend(messages);
        if (Result == EnqueueResult.Accepted && isNumbered)
            Numbers ??= [.. messages.Select(_ => Queue.Reserve())];
        return Result == EnqueueResult.Accepted;
    }

    public override void Apply() => Queue.Take(messages, Numbers);
}

/// <summary>Settles a message that a receiver holds. Its lock goes on until the commit, and ends as it would without.</summary>
internal sealed class SettleStep(Queue queue, Guid token, Settlement settlement) : TransactionStep(queue)
{
    private QueuedMessage? _locked;

    public SettleResult Result { get; private set; } = SettleResult.LockLost;

    public override long Size => OwnSize + settlement switch
    {
        Settlement.Abandoned abandoned => SizeOf(abandoned.Properties),
        Settlement.Deferred deferred => SizeOf(deferred.Properties),
        Settlement.DeadLettered dead => SizeOf(dead.Properties) + SizeOf(dead.Reason) + SizeOf(dead.Description),
        _ => 0,
    };

    public override IEnumerable<object> Claims => [(Queue, token)];

    public override bool Check()
    {
        Result = Queue.CanSettle(token, settlement, out _locked);
        return Result == SettleResult.Settled;
    }

    public override void Apply() => Queue.Take(_locked!, settlement);

    public override void RefuseClaim() => Result = SettleResult.LockLost;

    private static long SizeOf(string? text) => sizeof(char) * (long)(text?.Length ?? 0);

    private static long SizeOf(IReadOnlyDictionary<string, object?>? properties) =>
        properties?.Sum(property => PropertySize.Of(property.Key, property.Value)) ?? 0;
}

/// <summary>Cancels scheduled messages.</summary>
internal sealed class CancelStep(Queue queue, IReadOnlyList<long> numbers) : TransactionStep(queue)
{
    public override int Count => numbers.Count;

    public override long Size => OwnSize + (sizeof(long) * numbers.Count);

    public override IEnumerable<object> Claims => numbers.Distinct().Select(number => (object)(Queue, number));

    public override bool Check() => Queue.CanCancel(numbers);

    public override void Apply() => Queue.TakeCancel(numbers);
}
