using System.Net.Http.Json;
using System.Text.Json;

namespace DroneDelivery.Lab.Measurement;

/// <summary>What the broker says about the queue. The first eleven count since the broker started, the others are of the moment.</summary>
/// <param name="Incoming">Messages accepted.</param>
/// <param name="Outgoing">Messages handed out; one that is handed out again counts again.</param>
/// <param name="LockLost">Settlements and renewals refused because the lock was over.</param>
/// <param name="LateCompletes">Completions among those.</param>
/// <param name="LateDeadLetters">Dead-letterings among those.</param>
/// <param name="Redelivered">Messages handed out that had been handed out before.</param>
/// <param name="Active">Messages that wait for a receiver.</param>
/// <param name="Locked">Messages that a receiver holds.</param>
/// <param name="DeadLetter">Messages in the dead-letter sub-queue.</param>
/// <param name="Links">Receivers.</param>
internal sealed record QueueCounters(
    long Incoming,
    long Outgoing,
    long Completed,
    long Abandoned,
    long DeadLettered,
    long LockLost,
    long LateCompletes,
    long LateDeadLetters,
    long ExpiredLocks,
    long Redelivered,
    long Expired,
    long Active,
    long Locked,
    long Deferred,
    long Scheduled,
    long DeadLetter,
    IReadOnlyList<LinkCounters> Links)
{
    public static QueueCounters Zero { get; } = new(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, []);

    /// <summary>Messages that are not settled for good.</summary>
    public long Queued => Active + Locked + Deferred + Scheduled;

    /// <summary>Messages handed out for the first time.</summary>
    public long Distinct => Outgoing - Redelivered;

    /// <summary>The most messages that one of the present receivers has held at a time.</summary>
    public int MaxUnsettled => Links.Select(link => link.MaxUnsettled).DefaultIfEmpty(0).Max();

    /// <summary>Messages of which the broker can say where they are.</summary>
    public long Known => Completed + Expired + Queued + DeadLetter;

    /// <summary>What was counted since an earlier moment; what is of the moment stays.</summary>
    public QueueCounters Since(QueueCounters earlier) => this with
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
internal sealed record LinkCounters(long Credit, int Unsettled, int MaxUnsettled);

/// <summary>The answer of the broker's <c>GET /$counters</c>.</summary>
/// <param name="Time">The broker's clock when it counted.</param>
internal sealed record BrokerCounters(DateTimeOffset Time, int Connections, IReadOnlyDictionary<string, QueueCounters> Queues)
{
    public const string QueueName = "delivery-requests";

    private static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web) { RespectRequiredConstructorParameters = true };

    public QueueCounters Queue => Queues[QueueName];

    public static async Task<BrokerCounters> ReadAsync(HttpClient http, Uri broker, CancellationToken cancellationToken) =>
        await http.GetFromJsonAsync<BrokerCounters>(new Uri(broker, "$counters"), Options, cancellationToken)
            ?? throw new LabException($"{broker}$counters answered null.");
}
