using System.CommandLine;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using DroneDelivery.Bench.Ingestion;

namespace DroneDelivery.Bench.Gateway;

/// <summary>
/// The gateway beside the bare forwarding loop and beside nginx, in turn within each repetition and before the same backend; validation
/// beside forwarding; and the memory of connections that do nothing. Rates are requests per second.
/// </summary>
internal static class CompareGateway
{
    private const int Connections = 64;

    /// <summary>What the backend says of itself.</summary>
    public const string Document = """
        {"components":{"schemas":{"Thing":{"type":"object","required":["ownerId","weight","place"],"additionalProperties":false,"properties":{
        "ownerId":{"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9._~@-]{0,63}$"},"weight":{"type":"number","minimum":0.001,"maximum":1000},
        "place":{"type":"object","required":["latitude","longitude"],"additionalProperties":false,"properties":{
        "latitude":{"type":"number","minimum":-90,"maximum":90},"longitude":{"type":"number","minimum":-180,"maximum":180}}},
        "time":{"type":"string","format":"date-time"},"tag":{"type":["null","string"],"maxLength":100}}}}}}
        """;

    public static Command Command()
    {
        var requests = new Option<int>("--requests") { Description = "requests per measurement", DefaultValueFactory = _ => 32_000 };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var idle = new Option<int>("--idle") { Description = "connections that do nothing", DefaultValueFactory = _ => 10_000 };
        var command = new Command("gateway", "The gateway beside a bare forwarding loop and nginx.") { requests, repetitions, idle };
        command.SetAction((parsed, _) =>
            Run(parsed.GetValue(requests) / Connections, parsed.GetValue(repetitions), parsed.GetValue(idle)));
        return command;
    }

    private static async Task Run(int requestsEach, int repetitions, int idle)
    {
        var backendPort = ChildProcess.FreePort();
        await using var backend = ChildProcess.StartOwn(
            "Bench", ["bare-backend", "--port", $"{backendPort}"], new Dictionary<string, string>());
        await ChildProcess.UntilReachable(backendPort, TimeSpan.FromSeconds(60));
        var (barePort, gatewayPort) = (ChildProcess.FreePort(), ChildProcess.FreePort());
        await using var bare = ChildProcess.StartOwn(
            "Bench", ["bare-forwarder", "--port", $"{barePort}", "--backend", $"{backendPort}"], ServiceSettings.With());
        await using var gateway = ChildProcess.StartOwn("Gateway", Routes(gatewayPort, backendPort), ServiceSettings.With());
        var nginxPort = ChildProcess.FreePort();
        await using var nginx = Nginx.Start(nginxPort, backendPort);
        foreach (var port in (int[])[barePort, gatewayPort, .. nginx is null ? Array.Empty<int>() : [nginxPort]])
            await ChildProcess.UntilReachable(port, TimeSpan.FromSeconds(60));

        List<Contender> all =
        [
            Forwarder("bare loop", barePort, "/forward", bare),
            Forwarder("forward", gatewayPort, "/forward", gateway),
            Forwarder("validate", gatewayPort, "/validate", gateway),
        ];
        if (nginx is null)
            Console.WriteLine("nginx is missing: install nginx-light to compare with it.");
        else
            all.Add(Forwarder("nginx", nginxPort, "/forward"));
        await Contender.MeasureAsync(all, requestsEach, repetitions);
        Show(all, requestsEach, repetitions);
        await MeasureIdle(gatewayPort, gateway.Id, idle);
    }

    /// <param name="name">In the table.</param>
    /// <param name="port">Where it listens.</param>
    /// <param name="path">The route that is measured.</param>
    /// <param name="process">Null: its CPU is not measured (nginx's workers are processes of their own).</param>
    private static Contender Forwarder(string name, int port, string path, ChildProcess? process = null) => new(name)
    {
        Connections = Connections,
        Load = each => HttpLoad.Run(port, path, Body(), Connections, each, expectedStatus: 202),
        Processes = process is null ? [] : new() { ["forwarder"] = process },
    };

    private static void Show(List<Contender> all, int requestsEach, int repetitions)
    {
        Console.WriteLine($"{requestsEach * Connections:N0} requests of {Body().Length} bytes over {Connections} connections, "
            + $"{repetitions} repetitions; median (range)");
        all.ForEach(one => Console.WriteLine(one.Show()));
        var rate = all.ToDictionary(one => one.Name, one => one.Rate.Median);
        Console.WriteLine($"forward / bare loop {rate["forward"] / rate["bare loop"]:P0}, "
            + $"validate / forward {rate["validate"] / rate["forward"]:P0}"
            + (rate.TryGetValue("nginx", out var nginx) ? $", forward / nginx {rate["forward"] / nginx:P0}" : ""));
    }

    private static async Task MeasureIdle(int port, int process, int count)
    {
        var before = ResidentMegabytes(process);
        var request = HttpLoad.Request(port, "POST", "/forward", Body());
        var sockets = new List<Socket>();
        for (var i = 0; i < count; i++)
        {
            var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
            sockets.Add(socket);
            await socket.ConnectAsync(IPAddress.Loopback, port);
            await socket.SendAsync(request);
            await socket.ReceiveAsync(new byte[4096]);
        }
        Console.WriteLine($"{count:N0} idle connections: {ResidentMegabytes(process):N0} MB resident, {before:N0} MB before");
        sockets.ForEach(socket => socket.Dispose());
    }

    private static double ResidentMegabytes(int process) =>
        File.ReadLines($"/proc/{process}/status")
            .Where(line => line.StartsWith("VmRSS:", StringComparison.Ordinal))
            .Select(line => long.Parse(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture))
            .Single() / 1024.0;

    private static string[] Routes(int port, int backend) =>
    [
        $"--urls=http://127.0.0.1:{port}",
        $"--Services:ingestion:0=http://127.0.0.1:{backend}",
        "--Gateway:Routes:0:Method=POST",
        "--Gateway:Routes:0:Path=/forward",
        "--Gateway:Routes:0:Forward=true",
        "--Gateway:Routes:1:Method=POST",
        "--Gateway:Routes:1:Path=/validate",
        "--Gateway:Routes:1:ValidateContent:Schema=Thing",
        "--Gateway:Routes:1:Forward=true",
    ];

    private static byte[] Body() => Encoding.UTF8.GetBytes(
        """{"ownerId":"owner-1","weight":1.5,"place":{"latitude":47.64,"longitude":-122.13},"time":"2030-01-31T12:00:00Z","tag":"books"}"""
            .PadRight(200));
}
