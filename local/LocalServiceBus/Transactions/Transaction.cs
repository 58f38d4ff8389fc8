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

    private readonly List<TransactionStep> _steps = [];
    private readonly HashSet<object> _claims = [];
    private int _sent;
    private int _others;

    public Guid Id => id;

    public object Owner => owner;

    /// <summary>In the order in which the client wanted them.</summary>
    public IReadOnlyList<TransactionStep> Steps => _steps;

    /// <summary>Of the steps.</summary>
    public long Size { get; private set; }

    /// <summary>The queue or topic that it belongs to: the first that it has touched.</summary>
    public string? TopLevel { get; private set; }

    /// <summary>Something that it should have done was refused, and the client cannot know: it can only be rolled back.</summary>
    public bool IsDoomed { get; set; }

    /// <summary>When it is rolled back at the latest. It starts with the first step.</summary>
    public DateTimeOffset EndsAt { get; set; } = DateTimeOffset.MaxValue;

    /// <summary>Among those that have an end.</summary>
    public LinkedListNode<Transaction>? Place { get; set; }

    /// <returns>Why the step cannot be a part of it, whatever its queue says; null: it can.</returns>
    public JoinResult? Refuse(TransactionStep step, string topLevel)
    {
        if (TopLevel is not null && !TopLevel.Equals(topLevel, StringComparison.OrdinalIgnoreCase))
            return new JoinResult.OtherTopLevel(TopLevel);
        if (step is SendStep ? _sent + step.Count > MostSent : _others + step.Count > MostOthers)
            return new JoinResult.TooManyMessages();
        if (!step.Claims.Any(_claims.Contains))
            return null;
        step.RefuseClaim();
        return new JoinResult.Refused(step);
    }

    /// <summary>Behind <see cref="Refuse"/>.</summary>
    public void Add(TransactionStep step, string topLevel)
    {
        TopLevel ??= topLevel;
        _steps.Add(step);
        _claims.UnionWith(step.Claims);
        Size += step.Size;
        if (step is SendStep)
            _sent += step.Count;
        else
            _others += step.Count;
    }
}

/// <summary>Whether a step is a part of its transaction now.</summary>
internal abstract record JoinResult
{
    public sealed record Joined : JoinResult;

    /// <summary>There is no such transaction, or no longer.</summary>
    public sealed record Unknown : JoinResult;

    /// <param name="TopLevel">To which the transaction belongs.</param>
    public sealed record OtherTopLevel(string TopLevel) : JoinResult;

    public sealed record TooManyMessages : JoinResult;

    /// <summary>The client keeps too many bytes here already.</summary>
    public sealed record TooManyBytes : JoinResult;

    /// <param name="Step">Has the reason of its queue.</param>
    public sealed record Refused(TransactionStep Step) : JoinResult;
}
