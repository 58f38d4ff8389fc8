using DroneDelivery.Lab.Stages;
using StackExchange.Redis;

namespace DroneDelivery.Lab.Cluster;

/// <summary>The lab's own <c>redis-server</c>: nothing on disk, gone with the run.</summary>
internal static class RedisServer
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    // As in the chart: a Redis that evicts keys that expire evicts live deliveries.
    private const string Policy = "noeviction";

    public static string Find() =>
        Executable.OnPath("redis-server")
        ?? throw new LabException(
            "redis-server is not on PATH. Install it: `apt install redis-server`, `dnf install redis` or `brew install redis`."
        );

    /// <param name="maxMemory">Bytes; 0 is no limit.</param>
    public static IEnumerable<string> Command(string executable, int port, double maxMemory) =>
        [
            executable,
            "--port",
            port.ToString(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
            "--maxmemory",
            maxMemory.ToString("0"),
            "--maxmemory-policy",
            Policy,
        ];

    public static async Task<RedisStatus> ReadAsync(string connectionString)
    {
        await using var redis = await OpenAsync(connectionString);
        return RedisStatus.Of(await redis.GetServer(connectionString).InfoAsync().WaitAsync(Patience));
    }

    /// <exception cref="TimeoutException">It hangs.</exception>
    public static async Task ClearAsync(string connectionString, TimeSpan? patience = null)
    {
        await using var redis = await OpenAsync(connectionString);
        await redis.GetServer(connectionString).FlushAllDatabasesAsync().WaitAsync(patience ?? Patience);
    }

    /// <summary>
    /// Sets the limit of the memory. Counted from what is in use now, because with a small cache the buffers of the clients weigh as much
    /// as the deliveries: call it when all clients are connected and the cache is empty.
    /// </summary>
    public static async Task LimitAsync(string connectionString, KnobSet knobs)
    {
        var deliveries = knobs.Number("redis.deliveriesThatFit", 0);
        var maxMemory =
            deliveries > 0
                ? (await ReadAsync(connectionString)).UsedMemory + deliveries * KnobSet.BytesPerDelivery
                : knobs.Number("redis.maxMemory", 0);
        await using var redis = await OpenAsync(connectionString);
        await LimitAsync(redis.GetServer(connectionString), maxMemory);
    }

    /// <summary>Sets the limit of the memory, and returns the one that it had.</summary>
    /// <param name="maxMemory">Bytes. With one byte nothing can be written.</param>
    public static async Task<long> LimitAsync(string connectionString, double maxMemory)
    {
        var before = (await ReadAsync(connectionString)).MaxMemory;
        await using var redis = await OpenAsync(connectionString);
        await LimitAsync(redis.GetServer(connectionString), maxMemory);
        return before;
    }

    private static Task LimitAsync(IServer server, double maxMemory) =>
        server.ConfigSetAsync("maxmemory", maxMemory.ToString("0")).WaitAsync(Patience);

    /// <summary>A connection with which settings can be changed. Patient: while many processes start, an answer may take seconds.</summary>
    /// <exception cref="RedisConnectionException">Nobody listens, or nobody answers.</exception>
    public static async Task<ConnectionMultiplexer> OpenAsync(string connectionString)
    {
        var milliseconds = (int)Patience.TotalMilliseconds;
        return await ConnectionMultiplexer.ConnectAsync(
            $"{connectionString},connectTimeout={milliseconds},syncTimeout={milliseconds},connectRetry=1,allowAdmin=true"
        );
    }
}

/// <param name="MaxMemory">Bytes; 0 is no limit.</param>
internal sealed record RedisStatus(long UsedMemory, long MaxMemory, long Keys)
{
    public static RedisStatus Of(IEnumerable<IGrouping<string, KeyValuePair<string, string>>> info)
    {
        var values = info.SelectMany(section => section).ToLookup(pair => pair.Key, pair => pair.Value);
        var keys = values
            .Where(group => group.Key.StartsWith("db", StringComparison.Ordinal))
            .Sum(group => KeysOf(group.First()));
        return new(long.Parse(values["used_memory"].First()), long.Parse(values["maxmemory"].First()), keys);
    }

    // "keys=3,expires=0,avg_ttl=0"
    private static long KeysOf(string database) => long.Parse(database.Split('=', ',')[1]);
}
