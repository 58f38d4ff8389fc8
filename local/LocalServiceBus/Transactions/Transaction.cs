using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Transactions;

/// <summary>What a client wants done together or not at all. Until the commit nobody sees anything of it: messages that it sends wait here,
/// and those that it settles stay locked.</summary>
/// <param name="id">That the client names it by.</param>
/// <param name="owner">With whose end it is rolled back.</param>
internal sealed class Transaction(Guid id, object owner)
{
    /// <summary>That it sends; as the service allows.</summary>
    public const int MostSent = 100;

    /// <summary>Messages that it settles or cancels: so many change under one hold of the queues' locks.</summary>
    public const int MostOthers = Queue.MostPerHold;

    private readonly List<QueueRequest> _steps = [];
    private readonly HashSet<object> _claims = [];
    private int _sent;
    private int _others;

    public Guid Id => id;

    public object Owner => owner;

    /// <summary>In the order in which the client wanted them.</summary>
    public IReadOnlyList<QueueRequest> Steps => _steps;

    /// <summary>Of the steps.</summary>
    public long Size { get; private set; }

    /// <summary>The queue or topic that it belongs to: the first that it has touched.</summary>
    public string? TopLevel { get; private set; }

    /// <summary>Something that it should have done was refused, and the client cannot know: it can only be rolled back.</summary>
    public bool IsDoomed { get; set; }

    /// <summary>Rolls it back when it takes too long; null: it has no step yet.</summary>
    public ITimer? End { get; set; }

    /// <summary>All steps are done, and outlive the broker.</summary>
    public void Complete() => _steps.ForEach(step => step.Complete());

    /// <returns>Why the step cannot be a part of it, whatever its queue says; null: it can.</returns>
    public TransactionRefusal? Refuse(QueueRequest step, string topLevel)
    {
        if (TopLevel is not null && !TopLevel.Equals(topLevel, StringComparison.OrdinalIgnoreCase))
            return new TransactionRefusal.OtherTopLevel(TopLevel);
        if (step is SendRequest ? _sent + step.Count > MostSent : _others + step.Count > MostOthers)
            return new TransactionRefusal.TooManyMessages();
        return step.Claims.Any(_claims.Contains) ? new TransactionRefusal.Refused(step) : null;
    }

    /// <summary>Behind <see cref="Refuse"/>.</summary>
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

/// <summary>Why a step is no part of its transaction, or why a transaction was not committed.</summary>
internal abstract record TransactionRefusal
{
    /// <summary>There is no such transaction, or no longer.</summary>
    public sealed record Unknown : TransactionRefusal;

    public sealed record OtherTopLevel(string TopLevel) : TransactionRefusal;

    public sealed record TooManyMessages : TransactionRefusal;

    /// <summary>The client keeps too many bytes here already.</summary>
    public sealed record TooManyBytes : TransactionRefusal;

    /// <summary>The step cannot be done (any more), and has the reason. Nothing was changed.</summary>
    public sealed record Refused(QueueRequest Step) : TransactionRefusal;

    /// <summary>See <see cref="Transaction.IsDoomed"/>.</summary>
    public sealed record Doomed : TransactionRefusal;

    /// <summary>A defect, which has failed the queues; or the broker ends.</summary>
    public sealed record Broken : TransactionRefusal;
}
