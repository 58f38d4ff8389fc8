using System.Diagnostics.CodeAnalysis;

namespace DroneDelivery.Model.Figures;

/// <summary>
/// The broker's counters for the queue. The first eleven are cumulative since the broker started; the others are current values.
/// </summary>
public sealed record QueueCounters
{
    public required long Incoming { get; init; }

    /// <summary>Deliveries, including redeliveries.</summary>
    public required long Outgoing { get; init; }

    public required long Completed { get; init; }

    public required long Abandoned { get; init; }

    public required long DeadLettered { get; init; }

    /// <summary>Settlements and lock renewals rejected because the lock had expired.</summary>
    public required long LockLost { get; init; }

    /// <summary>Rejected completions; also the dead-letterings.</summary>
    public required long LateCompletes { get; init; }

    public required long LateDeadLetters { get; init; }

    public required long ExpiredLocks { get; init; }

    public required long Redelivered { get; init; }

    public required long Expired { get; init; }

    /// <summary>Messages waiting for a receiver.</summary>
    public required long Active { get; init; }

    public required long Locked { get; init; }

    public required long Deferred { get; init; }

    public required long Scheduled { get; init; }

    public required long DeadLetter { get; init; }

    public required IReadOnlyList<LinkCounters> Links { get; init; }

    public QueueCounters() { }

    [SetsRequiredMembers]
    private QueueCounters(IReadOnlyList<LinkCounters> links) => Links = links;

    public static QueueCounters Zero { get; } = new([]);

    /// <summary>Messages without a final settlement.</summary>
    public long Queued => Active + Locked + Deferred + Scheduled;

    /// <summary>First deliveries of a message.</summary>
    public long Distinct => Outgoing - Redelivered;

    /// <summary>The maximum number of messages of a connected receiver.</summary>
    public int MaxUnsettled => Links.Select(link => link.MaxUnsettled).DefaultIfEmpty(0).Max();

    /// <summary>Messages that the broker accounts for.</summary>
    public long Known => Completed + Expired + Queued + DeadLetter;

    /// <summary>Returns the cumulative counters as differences from <paramref name="earlier"/>.</summary>
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

public sealed record LinkCounters(long Credit, int Unsettled, int MaxUnsettled);
