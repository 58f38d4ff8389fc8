using System.CommandLine;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using DroneDelivery.Bench.Ingestion;

namespace DroneDelivery.Bench.Gateway;

/// <summary>
/// The gateway, which asks for a key, beside a bare YARP, in turn within each repetition and before the same backend; and the memory of
/// connections that do nothing. Rates are requests per second.
/// </summary>
internal static class CompareGateway
{
    private const int Connections = 64;

    private const string Path = "/api/deliveryrequests",
        Key = "a-key-of-the-bench";

    public static Command Command()
    {
        var requests = new Option<int>("--requests")
        {
            Description = "requests per measurement",
            DefaultValueFactory = _ => 32_000,
        };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var idle = new Option<int>("--idle")
        {
            Description = "connections that do nothing",
            DefaultValueFactory = _ => 10_000,
        };
        var command = new Command("gateway", "The gateway beside a bare YARP.") { requests, repetitions, idle };
        command.SetAction(
            (parsed, _) =>
                Run(parsed.GetValue(requests) / Connections, parsed.GetValue(repetitions), parsed.GetValue(idle))
        );
        return command;
    }

    private static async Task Run(int requestsEach, int repetitions, int idle)
    {
        var backendPort = ChildProcess.FreePort();
        await using var backend = ChildProcess.StartOwn(
            "Bench",
            ["bare-backend", "--port", $"{backendPort}"],
            new Dictionary<string, string>()
        );
        await ChildProcess.UntilReachable(backendPort, TimeSpan.FromSeconds(60));
        var (barePort, gatewayPort) = (ChildProcess.FreePort(), ChildProcess.FreePort());
        await using var bare = ChildProcess.StartOwn(
            "Bench",
            ["bare-proxy", "--port", $"{barePort}", "--backend", $"{backendPort}"],
            ServiceSettings.With()
        );
        await using var gateway = ChildProcess.StartOwn(
            "Gateway",
            Settings(gatewayPort, backendPort),
            ServiceSettings.With()
        );
        foreach (var port in (int[])[barePort, gatewayPort])
            await ChildProcess.UntilReachable(port, TimeSpan.FromSeconds(60));

        List<Contender> all = [Proxy("bare YARP", barePort, bare), Proxy("gateway", gatewayPort, gateway)];
        await Contender.MeasureAsync(all, requestsEach, repetitions);
        Console.WriteLine(
            $"{requestsEach * Connections:N0} requests of {Body().Length} bytes over {Connections} connections, "
                + $"{repetitions} repetitions; median (range)"
        );
        all.ForEach(one => Console.WriteLine(one.Show()));
        Console.WriteLine($"gateway / bare YARP {all[1].Rate.Median / all[0].Rate.Median:P0}");
        await MeasureIdle(gatewayPort, gateway.Id, idle);
    }

    private static Contender Proxy(string name, int port, ChildProcess process)
    {
        var request = Request(port);
        return new(name)
        {
            Connections = Connections,
            Load = each => HttpLoad.Run(port, () => request, Connections, each, expectedStatus: 202),
            Processes = new() { ["proxy"] = process },
        };
    }

    private static async Task MeasureIdle(int port, int process, int count)
    {
        var before = ResidentMegabytes(process);
        var request = Request(port);
        var sockets = new List<Socket>();
        for (var i = 0; i < count; i++)
        {
            var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
            sockets.Add(socket);
            await socket.ConnectAsync(IPAddress.Loopback, port);
            await socket.SendAsync(request);
            await socket.ReceiveAsync(new byte[4096]);
        }
        Console.WriteLine(
            $"{count:N0} idle connections: {ResidentMegabytes(process):N0} MB resident, {before:N0} MB before"
        );
        sockets.ForEach(socket => socket.Dispose());
    }

    private static double ResidentMegabytes(int process) =>
        File.ReadLines($"/proc/{process}/status")
            .Where(line => line.StartsWith("VmRSS:", StringComparison.Ordinal))
            .Select(line =>
                long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture)
            )
            .Single() / 1024.0;

    private static string[] Settings(int port, int backend) =>
        [
            $"--urls=http://127.0.0.1:{port}",
            $"--Gateway:Keys:bench={Key}",
            $"--ReverseProxy:Clusters:ingestion:Destinations:0:Address=http://127.0.0.1:{backend}",
        ];

    private static byte[] Request(int port) =>
        HttpLoad.Request(port, "POST", Path, Body(), $"Ocp-Apim-Subscription-Key: {Key}\r\n");

    private static byte[] Body() =>
        Encoding.UTF8.GetBytes(
            """{"ownerId":"owner-1","weight":1.5,"place":{"latitude":47.64,"longitude":-122.13},"time":"2030-01-31T12:00:00Z","tag":"books"}""".PadRight(
                200
            )
        );
}
