using StackExchange.Redis;

namespace DroneDelivery.Bench.Delivery;

/// <summary>The Redis that deliveries are stored in, as who measures sees it.</summary>
internal sealed class StoreOfDeliveries(ConnectionMultiplexer connection) : IAsyncDisposable
{
    private IServer Server => connection.GetServer(connection.GetEndPoints()[0]);

    public static ChildProcess Start(int port) =>
        ChildProcess.Start(
            "redis-server",
            ["--port", $"{port}", "--bind", "127.0.0.1", "--save", ""],
            new Dictionary<string, string>()
        );

    public static async Task<StoreOfDeliveries> ConnectAsync(int port)
    {
        await ChildProcess.UntilReachable(port, TimeSpan.FromSeconds(30));
        // Deleting what a load has left, beside all else that runs then, may take longer than a service would wait.
        return new(await ConnectionMultiplexer.ConnectAsync($"127.0.0.1:{port},allowAdmin=true,asyncTimeout=60000"));
    }

    /// <summary>Deletes what one measurement has stored: the next must not find a larger Redis.</summary>
    public Task EmptyAsync() => Server.FlushAllDatabasesAsync();

    public Task<bool> HasScriptAsync(string script) => Server.ScriptExistsAsync(script);

    public async ValueTask DisposeAsync()
    {
        await connection.CloseAsync();
        connection.Dispose();
    }
}
