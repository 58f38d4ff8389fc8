using System.CommandLine;
using StackExchange.Redis;

namespace DroneDelivery.Bench.Services;

/// <summary>
/// Compares PUTs of new deliveries: Delivery and a bare endpoint with the same script in the same Redis, or Delivery with and without
/// telemetry.
/// </summary>
internal static class CompareDelivery
{
    // The last telemetry is uploaded a second after the load, and is part of its cost.
    private static readonly TimeSpan LastUpload = TimeSpan.FromSeconds(1.5);

    public static Command Command() =>
        Comparison.Command("delivery", "Delivery and a bare endpoint with the same commands to Redis.", RunAsync);

    public static Command TelemetryCommand() =>
        Comparison.Command(
            "telemetry",
            "Delivery without telemetry, with it, and with calls to Redis in it.",
            RunTelemetryAsync,
            defaultCount: 16_000
        );

    private static async Task RunAsync(Comparison comparison, ParseResult parsed)
    {
        var redis = await Redis.StartAsync(comparison);
        var all = new List<Contender>();
        foreach (var (name, program) in comparison.Builds("Delivery"))
            all.Add(redis.Storing(name, await redis.DeliveryAsync(comparison, program)));
        // The comparison is valid only for the same commands.
        await all[0].Load(HttpLoad.Connections);
        if (!await redis.Admin.ScriptExistsAsync(BareServer.Script))
        {
            throw new InvalidOperationException(
                "Delivery and BareServer run different scripts: copy the script of DeliveryStore.AddAsync."
            );
        }
        var bare = await BareServer.StartAsync(comparison, BareServer.Delivery, redis.Address);
        await comparison.RunAsync("PUTs", [.. all, redis.Storing("bare loop", bare)]);
    }

    private static async Task RunTelemetryAsync(Comparison comparison, ParseResult parsed)
    {
        var redis = await Redis.StartAsync(comparison);
        var (port, folder) = (ChildProcess.FreePort(), Directory.CreateTempSubdirectory("bench-telemetry-"));
        comparison.Own(
            ChildProcess.StartDotnet([
                ChildProcess.OwnProgram("Lab"),
                "collect",
                "--port",
                $"{port}",
                "--folder",
                folder.FullName,
            ])
        );
        await ChildProcess.UntilReachable(port);
        (string, string)[] on =
        [
            (
                "APPLICATIONINSIGHTS_CONNECTION_STRING",
                $"InstrumentationKey=00000000-0000-0000-0000-000000000001;IngestionEndpoint=http://127.0.0.1:{port}/"
            ),
            ("APPLICATIONINSIGHTS_STATSBEAT_DISABLED", "true"),
            // Dropped spans would make telemetry look cheaper.
            ("OTEL_BSP_MAX_QUEUE_SIZE", "65536"),
            ("OTEL_BSP_SCHEDULE_DELAY", "1000"),
        ];
        (string, string)[] withRedis = [.. on, ("Telemetry__TrackRedis", "true")];
        var all = new List<Contender>();
        foreach (var (name, program) in comparison.Builds("Delivery"))
        {
            all.Add(redis.Storing($"{name}, on", await redis.DeliveryAsync(comparison, program, on), LastUpload));
            all.Add(redis.Storing($"{name}, off", await redis.DeliveryAsync(comparison, program)));
            all.Add(
                redis.Storing(
                    $"{name}, on with Redis",
                    await redis.DeliveryAsync(comparison, program, withRedis),
                    LastUpload
                )
            );
        }
        await comparison.RunAsync("PUTs", all);
    }

    private sealed record Redis(string Address, ChildProcess Process, IServer Admin)
    {
        public static async Task<Redis> StartAsync(Comparison comparison)
        {
            var port = ChildProcess.FreePort();
            var process = comparison.Own(
                ChildProcess.Start("redis-server", ["--port", $"{port}", "--bind", "127.0.0.1", "--save", ""])
            );
            await ChildProcess.UntilReachable(port);
            var address = $"127.0.0.1:{port}";
            // Deleting the data of a load can take longer than a service's timeout.
            var connection = comparison.Own(
                await ConnectionMultiplexer.ConnectAsync($"{address},allowAdmin=true,asyncTimeout=60000")
            );
            return new(address, process, connection.GetServers()[0]);
        }

        public Task<Server> DeliveryAsync(
            Comparison comparison,
            string program,
            params IEnumerable<(string Name, string Value)> settings
        ) => comparison.StartAsync(program, [], [("Redis__ConnectionString", Address), .. settings]);

        public Contender Storing(string name, Server server, TimeSpan trailing = default) =>
            new(name)
            {
                Load = count =>
                    HttpLoad.RunAsync(server.Port, () => Requests.NextPut(server.Port), count, expectedStatus: 201),
                Processes = new() { ["server"] = server.Process, ["Redis"] = Process },
                Before = _ => Admin.FlushAllDatabasesAsync(),
                Trailing = trailing,
            };
    }
}
