using System.Diagnostics.CodeAnalysis;

namespace DroneDelivery.Model.Figures;

/// <summary>What the broker says about the queue. The first eleven count since the broker started, the others are of the moment.</summary>
public sealed record QueueCounters
{
    /// <summary>Messages accepted.</summary>
    public required long Incoming { get; init; }

    /// <summary>Messages handed out; one that is handed out again counts again.</summary>
    public required long Outgoing { get; init; }

    public required long Completed { get; init; }

    public required long Abandoned { get; init; }

    public required long DeadLettered { get; init; }

    /// <summary>Settlements and renewals refused because the lock was over.</summary>
    public required long LockLost { get; init; }

    /// <summary>Completions among those.</summary>
    public required long LateCompletes { get; init; }

    /// <summary>Dead-letterings among those.</summary>
    public required long LateDeadLetters { get; init; }

    public required long ExpiredLocks { get; init; }

    /// <summary>Messages handed out that had been handed out before.</summary>
    public required long Redelivered { get; init; }

    public required long Expired { get; init; }

    /// <summary>Messages that wait for a receiver.</summary>
    public required long Active { get; init; }

    /// <summary>Messages that a receiver holds.</summary>
    public required long Locked { get; init; }

    public required long Deferred { get; init; }

    public required long Scheduled { get; init; }

    /// <summary>Messages in the dead-letter sub-queue.</summary>
    public required long DeadLetter { get; init; }

    /// <summary>Receivers.</summary>
    public required IReadOnlyList<LinkCounters> Links { get; init; }

    public QueueCounters() { }

    [SetsRequiredMembers]
    private QueueCounters(IReadOnlyList<LinkCounters> links) => Links = links;

    public static QueueCounters Zero { get; } = new([]);

    /// <summary>Messages that are not settled for good.</summary>
    public long Queued => Active + Locked + Deferred + Scheduled;

    /// <summary>Messages handed out for the first time.</summary>
    public long Distinct => Outgoing - Redelivered;

    /// <summary>The most messages that one of the present receivers has held at a time.</summary>
    public int MaxUnsettled => Links.Select(link => link.MaxUnsettled).DefaultIfEmpty(0).Max();

    /// <summary>Messages of which the broker can say where they are.</summary>
    public long Known => Completed + Expired + Queued + DeadLetter;

    /// <summary>What was counted since an earlier moment; what is of the moment stays.</summary>
    public QueueCounters Since(QueueCounters earlier) =>
        this with
        {
            Incoming = Incoming - earlier.Incoming,
            Outgoing = Outgoing - earlier.Outgoing,
            Completed = Completed - earlier.Completed,
            Abandoned = Abandoned - earlier.Abandoned,
            DeadLettered = DeadLettered - earlier.DeadLettered,
            LockLost = LockLost - earlier.LockLost,
            LateCompletes = LateCompletes - earlier.LateCompletes,
            LateDeadLetters = LateDeadLetters - earlier.LateDeadLetters,
            ExpiredLocks = ExpiredLocks - earlier.ExpiredLocks,
            Redelivered = Redelivered - earlier.Redelivered,
            Expired = Expired - earlier.Expired,
        };
}

/// <summary>One receiver's link.</summary>
/// <param name="Unsettled">Messages it holds.</param>
/// <param name="MaxUnsettled">The most it has held at a time.</param>
public sealed record LinkCounters(long Credit, int Unsettled, int MaxUnsettled);
