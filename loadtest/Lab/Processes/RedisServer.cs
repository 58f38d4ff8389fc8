using System.Globalization;
using System.Net;
using System.Net.Sockets;
using StackExchange.Redis;

namespace DroneDelivery.Lab.Processes;

/// <summary>The lab's own <c>redis-server</c>: nothing on disk, gone with the run.</summary>
internal static class RedisServer
{
    /// <exception cref="LabException">redis-server is not on PATH; the message says how to install it.</exception>
    public static string Find() => Executable.OnPath("redis-server")
        ?? throw new LabException("redis-server is not on PATH. Install it: `apt install redis-server`, `dnf install redis` or `brew install redis`.");

    /// <param name="maxMemory">Bytes; 0 is no limit.</param>
    public static IEnumerable<string> Command(string executable, int port, double maxMemory) =>
    [
        executable,
        "--port", port.ToString(CultureInfo.InvariantCulture), "--bind", "127.0.0.1",
        "--save", "", "--appendonly", "no",
        "--maxmemory", maxMemory.ToString("0", CultureInfo.InvariantCulture), "--maxmemory-policy", "volatile-lru",
    ];

    /// <summary>Whether it accepts connections.</summary>
    public static async Task<bool> IsReadyAsync(int port, CancellationToken cancellationToken)
    {
        try
        {
            using var client = new TcpClient();
            await client.ConnectAsync(IPAddress.Loopback, port, cancellationToken);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    public static async Task<RedisStatus> ReadAsync(string connectionString)
    {
        await using var connection = await ConnectAsync(connectionString);
        var info = (await connection.Redis.GetServer(connectionString).InfoAsync()).SelectMany(section => section).ToLookup(pair => pair.Key, pair => pair.Value);
        var keys = info.Where(group => group.Key.StartsWith("db", StringComparison.Ordinal)).Sum(group => Keys(group.First()));
        return new(long.Parse(info["used_memory"].First(), CultureInfo.InvariantCulture), long.Parse(info["maxmemory"].First(), CultureInfo.InvariantCulture), keys);
    }

    /// <summary>Forgets everything that is stored.</summary>
    public static async Task ClearAsync(string connectionString)
    {
        await using var connection = await ConnectAsync(connectionString);
        await connection.Redis.GetServer(connectionString).FlushAllDatabasesAsync();
    }

    private static async Task<Connection> ConnectAsync(string connectionString) =>
        new(await ConnectionMultiplexer.ConnectAsync($"{connectionString},connectTimeout=1000,connectRetry=0,allowAdmin=true"));

    // "keys=3,expires=0,avg_ttl=0"
    private static long Keys(string database) => long.Parse(database.Split('=', ',')[1], CultureInfo.InvariantCulture);

    /// <summary>1.2.6 disposes synchronously only.</summary>
    private sealed record Connection(ConnectionMultiplexer Redis) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync()
        {
            await Redis.CloseAsync(allowCommandsToComplete: false);
            Redis.Dispose();
        }
    }
}

/// <param name="UsedMemory">Bytes.</param>
/// <param name="MaxMemory">Bytes; 0 is no limit.</param>
internal sealed record RedisStatus(long UsedMemory, long MaxMemory, long Keys);
