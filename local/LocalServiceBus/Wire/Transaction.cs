using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Operations to execute atomically on commit. Until then, sent messages wait here, and settled ones stay
/// locked.</summary>
/// <param name="owner">The coordinator link that declared the transaction. Detaching it rolls back the
/// transaction.</param>
internal sealed class Transaction(Guid id, object owner)
{
    /// <summary>The maximum number of sent messages, as in Azure.</summary>
    public const int MaxSent = 100;

    /// <summary>The maximum number of settled or canceled messages, which limits how long a commit locks
    /// queues.</summary>
    public const int MaxOthers = Queue.MaxPerHold;

    private readonly List<QueueRequest> _steps = [];
    private readonly HashSet<object> _claims = [];
    private int _sent;
    private int _others;

    public Guid Id => id;

    public object Owner => owner;

    public IReadOnlyList<QueueRequest> Steps => _steps;

    public long Size { get; private set; }

    /// <summary>The queue or topic of the first operation, to which all others must belong.</summary>
    public string? TopLevel { get; private set; }

    /// <summary><c>true</c> if the transaction must be rolled back, because an operation was rejected without the
    /// client's knowledge.</summary>
    public bool IsRollbackOnly { get; set; }

    public ITimer? End { get; set; }

    public void Complete() => _steps.ForEach(step => step.Complete());

    /// <returns>The reason why the operation can't be added, regardless of its queue; <c>null</c> if it can.</returns>
    public AmqpError? Validate(QueueRequest step, string topLevel)
    {
        if (TopLevel is not null && !TopLevel.Equals(topLevel, StringComparison.OrdinalIgnoreCase))
            return ClientErrors.OtherTopLevel(TopLevel);
        if (step is SendRequest ? _sent + step.Count > MaxSent : _others + step.Count > MaxOthers)
            return ClientErrors.TooManyMessages;
        return step.Claims.Any(_claims.Contains) ? ClientErrors.Of(step) : null;
    }

    public void Add(QueueRequest step, string topLevel)
    {
        TopLevel ??= topLevel;
        _steps.Add(step);
        _claims.UnionWith(step.Claims);
        Size += step.Size;
        if (step is SendRequest)
            _sent += step.Count;
        else
            _others += step.Count;
    }
}
