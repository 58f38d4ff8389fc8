using System.Globalization;
using DroneDelivery.Lab.Measurement;
using StackExchange.Redis;

namespace DroneDelivery.Lab.Processes;

/// <summary>How the running application is.</summary>
/// <param name="Queue">Null: the broker does not answer.</param>
/// <param name="Redis">Null: Redis does not answer.</param>
internal sealed record LabStatus(string Verb, int ProcessId, DateTimeOffset Since, QueueCounters? Queue, RedisStatus? Redis, IReadOnlyList<ReplicaStatus> Replicas)
{
    public static async Task<LabStatus> ReadAsync(LabState state, CancellationToken cancellationToken)
    {
        using var http = Loopback.CreateClient();
        http.Timeout = TimeSpan.FromSeconds(5);
        return new(
            state.Verb, state.ProcessId, state.Since,
            await QueueAsync(http, state.Broker, cancellationToken),
            await RedisAsync(state.Redis),
            await Task.WhenAll(state.Replicas.Select(replica => ReplicaStatus.ReadAsync(http, replica, cancellationToken))));
    }

    private static async Task<QueueCounters?> QueueAsync(HttpClient http, Uri broker, CancellationToken cancellationToken)
    {
        try
        {
            return (await BrokerCounters.ReadAsync(http, broker, cancellationToken)).Queue;
        }
        catch (Exception exception) when (exception is HttpRequestException || (exception is OperationCanceledException && !cancellationToken.IsCancellationRequested))
        {
            return null;
        }
    }

    private static async Task<RedisStatus?> RedisAsync(string connectionString)
    {
        try
        {
            return await RedisServer.ReadAsync(connectionString);
        }
        catch (RedisConnectionException)
        {
            return null;
        }
    }
}

/// <param name="State">ready, not ready, does not answer, or gone.</param>
/// <param name="Memory">Bytes: its share of what it has in memory (Linux only).</param>
internal sealed record ReplicaStatus(string Name, string State, int ProcessId, long? Memory, Uri Url)
{
    public const string Ready = "ready";

    public static async Task<ReplicaStatus> ReadAsync(HttpClient http, ReplicaState replica, CancellationToken cancellationToken) =>
        new($"{replica.Service} {replica.Replica}", await StateAsync(http, replica.Url, cancellationToken), replica.ProcessId, ProportionalSetSize(replica.ProcessId), replica.Url);

    private static async Task<string> StateAsync(HttpClient http, Uri url, CancellationToken cancellationToken)
    {
        try
        {
            using var response = await http.GetAsync(new Uri(url, "health/ready"), cancellationToken);
            return response.IsSuccessStatusCode ? Ready : "not ready";
        }
        catch (HttpRequestException)
        {
            return "gone";
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return "does not answer";
        }
    }

    private static long? ProportionalSetSize(int processId)
    {
        var file = $"/proc/{processId}/smaps_rollup";
        if (!File.Exists(file))
            return null;
        var line = File.ReadLines(file).FirstOrDefault(line => line.StartsWith("Pss:", StringComparison.Ordinal));
        return line is null ? null : long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture) * 1024;
    }
}
