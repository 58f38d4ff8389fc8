using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Steps that are done atomically. Until the commit, the messages that it sends wait here, and those that it settles stay
/// locked.</summary>
/// <param name="id">The client's name for it.</param>
/// <param name="owner">The coordinator link that declared it. The transaction is rolled back when the link ends.</param>
internal sealed class Transaction(Guid id, object owner)
{
    /// <summary>The maximum number of messages that it sends, as on Azure.</summary>
    public const int MostSent = 100;

    /// <summary>The maximum number of messages that it settles or cancels, because one hold of the queues' locks covers all of
    /// them.</summary>
    public const int MostOthers = Queue.MostPerHold;

    private readonly List<QueueRequest> _steps = [];
    private readonly HashSet<object> _claims = [];
    private int _sent;
    private int _others;

    public Guid Id => id;

    public object Owner => owner;

    /// <summary>The steps in the order in which the client requested them.</summary>
    public IReadOnlyList<QueueRequest> Steps => _steps;

    /// <summary>Memory of the steps, in bytes.</summary>
    public long Size { get; private set; }

    /// <summary>The queue or topic that it belongs to: that of the first step.</summary>
    public string? TopLevel { get; private set; }

    /// <summary><c>true</c> if the client doesn't know that a step was rejected, so that the transaction can only be rolled back.</summary>
    public bool IsDoomed { get; set; }

    /// <summary>The timeout; <c>null</c> before the first step.</summary>
    public ITimer? End { get; set; }

    /// <summary>Responds to all steps.</summary>
    public void Complete() => _steps.ForEach(step => step.Complete());

    /// <returns>Why the step can't be part of it, whatever the state of its queue; <c>null</c> if it can.</returns>
    public AmqpError? Refuse(QueueRequest step, string topLevel)
    {
        if (TopLevel is not null && !TopLevel.Equals(topLevel, StringComparison.OrdinalIgnoreCase))
            return Refusal.OtherTopLevel(TopLevel);
        if (step is SendRequest ? _sent + step.Count > MostSent : _others + step.Count > MostOthers)
            return Refusal.TooManyMessages;
        return step.Claims.Any(_claims.Contains) ? Refusal.Of(step) : null;
    }

    /// <param name="step">A step that <see cref="Refuse"/> accepts.</param>
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
