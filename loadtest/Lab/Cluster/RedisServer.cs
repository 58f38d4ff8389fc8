using DroneDelivery.Lab.Stages;
using StackExchange.Redis;

namespace DroneDelivery.Lab.Cluster;

internal static class RedisServer
{
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(10);

    // As in the chart: evicting keys that expire would evict live deliveries.
    private const string Policy = "noeviction";

    public static string Find() =>
        Executable.OnPath("redis-server")
        ?? throw new LabException(
            "redis-server is not on PATH. Install it: `apt install redis-server`, `dnf install redis` or `brew install redis`."
        );

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
        return RedisStatus.Of(await redis.GetServer(connectionString).InfoAsync().WaitAsync(MaxWait));
    }

    public static async Task ClearAsync(string connectionString, TimeSpan? timeout = null)
    {
        await using var redis = await OpenAsync(connectionString);
        await redis.GetServer(connectionString).FlushAllDatabasesAsync().WaitAsync(timeout ?? MaxWait);
    }

    /// <summary>
    /// Sets the memory limit relative to current use, which includes client buffers. Call it when all clients are connected and the cache
    /// is empty.
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

    /// <summary>Sets the memory limit and returns the previous one.</summary>
    /// <param name="maxMemory">With 1 byte, every write fails.</param>
    public static async Task<long> LimitAsync(string connectionString, double maxMemory)
    {
        var before = (await ReadAsync(connectionString)).MaxMemory;
        await using var redis = await OpenAsync(connectionString);
        await LimitAsync(redis.GetServer(connectionString), maxMemory);
        return before;
    }

    private static Task LimitAsync(IServer server, double maxMemory) =>
        server.ConfigSetAsync("maxmemory", maxMemory.ToString("0")).WaitAsync(MaxWait);

    /// <summary>Opens an administrative connection with long timeouts, because Redis can be slow while processes start.</summary>
    /// <exception cref="RedisConnectionException">Redis doesn't listen or doesn't respond.</exception>
    public static async Task<ConnectionMultiplexer> OpenAsync(string connectionString)
    {
        var milliseconds = (int)MaxWait.TotalMilliseconds;
        return await ConnectionMultiplexer.ConnectAsync(
            $"{connectionString},connectTimeout={milliseconds},syncTimeout={milliseconds},connectRetry=1,allowAdmin=true"
        );
    }
}

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

    // For example: "keys=3,expires=0,avg_ttl=0"
    private static long KeysOf(string database) => long.Parse(database.Split('=', ',')[1]);
}
