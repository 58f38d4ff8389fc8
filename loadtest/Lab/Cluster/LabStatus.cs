using System.Globalization;
using DroneDelivery.Model.Figures;
using StackExchange.Redis;

namespace DroneDelivery.Lab.Cluster;

/// <param name="Queue">Null: the broker does not answer.</param>
/// <param name="Redis">Null: Redis does not answer.</param>
internal sealed record LabStatus(
    string Verb,
    int ProcessId,
    DateTimeOffset Since,
    QueueCounters? Queue,
    RedisStatus? Redis,
    IReadOnlyList<ReplicaStatus> Replicas
)
{
    private static readonly TimeSpan DefaultTimeout = TimeSpan.FromSeconds(2.5);

    /// <summary>What stores, where it has ended by itself: <c>broker</c>, <c>redis</c>.</summary>
    public IReadOnlyDictionary<string, ProcessHistory> Histories { get; init; } =
        new Dictionary<string, ProcessHistory>();

    public bool IsWell =>
        Queue is not null && Redis is not null && Replicas.All(replica => replica.State == ReplicaStatus.Ready);

    public static Task<LabStatus> ReadAsync(LabState state, CancellationToken cancellationToken) =>
        ReadAsync(state, DefaultTimeout, cancellationToken);

    /// <summary>Queries all processes concurrently, so that one that hangs delays no other.</summary>
    /// <param name="timeout">The time limit of each response.</param>
    public static async Task<LabStatus> ReadAsync(LabState state, TimeSpan timeout, CancellationToken cancellationToken)
    {
        using var http = Loopback.CreateClient();
        http.Timeout = timeout;
        var queue = OrNullAsync(QueueAsync(http, state, cancellationToken), timeout, cancellationToken);
        var redis = OrNullAsync(RedisServer.ReadAsync(state.Redis, timeout), timeout, cancellationToken);
        var replicas = Task.WhenAll(
            state.Replicas.Select(replica =>
                ReplicaStatus.ReadAsync(
                    http,
                    replica,
                    state.Histories.GetValueOrDefault(replica.Name),
                    cancellationToken
                )
            )
        );
        return new(state.Verb, state.ProcessId, state.Since, await queue, await redis, await replicas)
        {
            Histories = state.Histories.Where(history => history.Key is "broker" or "redis").ToDictionary(),
        };
    }

    private static async Task<QueueCounters> QueueAsync(
        HttpClient http,
        LabState state,
        CancellationToken cancellationToken
    )
    {
        var queue = (await BrokerCounters.ReadAsync(http, state.Broker, cancellationToken)).Queue;
        // A broker that was started again counts from zero.
        return state.Baseline is { } baseline && !state.Histories.ContainsKey("broker") ? queue.Since(baseline) : queue;
    }

    private static async Task<T?> OrNullAsync<T>(Task<T> answer, TimeSpan timeout, CancellationToken cancellationToken)
        where T : class
    {
        try
        {
            return await answer.WaitAsync(timeout, cancellationToken);
        }
        catch (Exception exception)
            when (exception is HttpRequestException or RedisException or TimeoutException
                || (exception is OperationCanceledException && !cancellationToken.IsCancellationRequested)
            )
        {
            return null;
        }
    }
}

/// <param name="State">ready, not ready, does not answer, restarting, or gone.</param>
/// <param name="Memory">Bytes: its share of what it has in memory (Linux only).</param>
/// <param name="Restarts">How often it was started again because it had ended by itself.</param>
/// <param name="LastExit">Exit code with which it did; null: it did not.</param>
internal sealed record ReplicaStatus(
    string Name,
    string State,
    int ProcessId,
    long? Memory,
    Uri Url,
    int Restarts,
    int? LastExit
)
{
    public const string Ready = "ready",
        Gone = "gone";

    /// <param name="history">Null: it has not ended by itself.</param>
    public static async Task<ReplicaStatus> ReadAsync(
        HttpClient http,
        ReplicaState replica,
        ProcessHistory? history,
        CancellationToken cancellationToken
    )
    {
        var state = await StateAsync(http, replica.Url, cancellationToken);
        if (state == Gone && history is { State: ProcessHistory.Restarting })
            state = ProcessHistory.Restarting;

        return new(
            $"{replica.Service} {replica.Replica}",
            state,
            replica.ProcessId,
            ProportionalSetSize(replica.ProcessId),
            replica.Url,
            history?.Restarts ?? 0,
            history?.LastExit
        );
    }

    /// <returns>ready, not ready, does not answer, or gone.</returns>
    private static async Task<string> StateAsync(HttpClient http, Uri url, CancellationToken cancellationToken)
    {
        try
        {
            using var response = await http.GetAsync(new Uri(url, "health/ready"), cancellationToken);
            return response.IsSuccessStatusCode ? Ready : "not ready";
        }
        catch (HttpRequestException)
        {
            return Gone;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return "does not answer";
        }
    }

    private static long? ProportionalSetSize(int processId)
    {
        try
        {
            var line = File.ReadLines($"/proc/{processId}/smaps_rollup")
                .First(line => line.StartsWith("Pss:", StringComparison.Ordinal));
            return long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture)
                * 1024;
        }
        catch (IOException)
        {
            return null; // it has ended, or this is no Linux
        }
    }
}
