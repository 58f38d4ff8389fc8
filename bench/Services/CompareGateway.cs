using System.CommandLine;
using System.Net.Sockets;
using DroneDelivery.Bench.Memory;

namespace DroneDelivery.Bench.Services;

/// <summary>
/// Compares the gateway, which checks API keys, with a bare YARP before the same backend, and measures the memory of idle connections.
/// </summary>
internal static class CompareGateway
{
    private const string Key = "a-key-of-the-bench";

    private static readonly Option<int> Idle = new("--idle")
    {
        Description = "idle connections",
        DefaultValueFactory = _ => 10_000,
    };

    public static Command Command() =>
        Comparison.Command("gateway", "The gateway next to a bare YARP.", RunAsync, more: Idle);

    private static async Task RunAsync(Comparison comparison, ParseResult parsed)
    {
        var backend = await BareServer.StartAsync(comparison, BareServer.Backend);
        var address = $"http://127.0.0.1:{backend.Port}";
        var gateways = new List<(string Name, Server Server)>();
        foreach (var (name, program) in comparison.Builds("Gateway"))
        {
            var gateway = await comparison.StartAsync(
                program,
                [$"--Gateway:Keys:bench={Key}", $"--ReverseProxy:Clusters:ingestion:Destinations:0:Address={address}"]
            );
            gateways.Add((name, gateway));
        }
        var bare = await BareServer.StartAsync(comparison, BareServer.Gateway, address);
        var contenders = gateways.Select(one => Proxy(one.Name, one.Server));
        await comparison.RunAsync("POSTs", [.. contenders, Proxy("bare YARP", bare)]);
        foreach (var (name, gateway) in gateways)
            await MeasureIdleAsync(name, gateway, parsed.GetValue(Idle));
    }

    private static Contender Proxy(string name, Server server)
    {
        var request = Request(server);
        return new(name)
        {
            Load = count => HttpLoad.RunAsync(server.Port, request, count, expectedStatus: 202),
            Processes = new() { ["server"] = server.Process },
        };
    }

    private static Func<byte[]> Request(Server server) =>
        Requests.Post(server.Port, $"Ocp-Apim-Subscription-Key: {Key}\r\n");

    private static async Task MeasureIdleAsync(string name, Server gateway, int count)
    {
        var before = ProcessMemory.Of(gateway.Process.Id);
        var request = Request(gateway);
        var sockets = new List<Socket>();
        for (var i = 0; i < count; i++)
        {
            sockets.Add(await HttpLoad.ConnectAsync(gateway.Port));
            await sockets[^1].SendAsync(request());
            await sockets[^1].ReceiveAsync(new byte[4096]);
        }
        Console.WriteLine(
            $"{name}, {count:N0} idle connections: {ProcessMemory.Of(gateway.Process.Id)}, {before} before"
        );
        sockets.ForEach(socket => socket.Dispose());
    }
}
