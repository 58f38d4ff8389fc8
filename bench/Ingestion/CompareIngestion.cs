using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Bench.Broker;
using DroneDelivery.Contracts;

namespace DroneDelivery.Bench.Ingestion;

/// <summary>
/// Ingestion (validate, send to the broker, wait for its acknowledgement, 202) beside two of <see cref="BareEndpoint"/>: one sends the same
/// message, one sends nothing. All are processes of their own with the same settings, in turn within each repetition.
/// </summary>
internal static class CompareIngestion
{
    private const int Connections = 64;
    private const string Path = "/api/deliveryrequests";

    public static Command Command()
    {
        var requests = new Option<int>("--requests")
        {
            Description = "requests per measurement",
            DefaultValueFactory = _ => 32_000,
        };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var beside = new Option<FileInfo?>("--beside")
        {
            Description = "DroneDelivery.Ingestion.dll of another build, to see what a change costs",
        };
        var command = new Command(
            "ingestion",
            "Ingestion beside bare endpoints that parse the same JSON: one sends the same message, one sends nothing."
        )
        {
            requests,
            repetitions,
            beside,
        };
        command.SetAction(
            (parsed, _) =>
                Run(parsed.GetValue(requests) / Connections, parsed.GetValue(repetitions), parsed.GetValue(beside))
        );
        return command;
    }

    private static async Task Run(int requestsEach, int repetitions, FileInfo? otherBuild)
    {
        await using var broker = await BrokerUnderTest.StartLocalServiceBus(ServiceSettings.With());
        await using var ingestion = new Server("Ingestion", port =>
            Service(ChildProcess.OwnProgram("Ingestion"), port, broker)
        );
        await using var other = otherBuild is null
            ? null
            : new Server("other build", port => Service(otherBuild.FullName, port, broker));
        await using var sending = new Server("bare sender", port =>
            Bare(port, BareEndpoint.SendsTo, broker.ConnectionString)
        );
        await using var silent = new Server("bare Kestrel", port => Bare(port));

        Console.WriteLine(
            $"{requestsEach * Connections:N0} requests over {Connections} connections, {repetitions} repetitions; median (range)"
        );
        var ours = await ingestion.ContenderAsync(Path, 202, broker);
        var before = other is null ? null : await other.ContenderAsync(Path, 202, broker);
        var sender = await sending.ContenderAsync("/", 202, broker);
        var parser = await silent.ContenderAsync("/", 200, broker: null);
        List<Contender> all = before is null ? [ours, sender, parser] : [ours, before, sender, parser];
        await Contender.MeasureAsync(all, requestsEach, repetitions);
        all.ForEach(one => Console.WriteLine(one.Show()));
        Console.WriteLine($"Ingestion / one that sends the same message with the same SDK {ComparedWith(sender)}");
        Console.WriteLine($"Ingestion / one that sends nothing {ComparedWith(parser)}");
        if (before is not null)
            Console.WriteLine($"CPU of Ingestion / other build {ours.Cpu.Over(before.Cpu).Show("P0")}");

        string ComparedWith(Contender bare) =>
            $"{ours.Rate.Over(bare.Rate).Show("P0")}; by CPU {bare.Cpu.Over(ours.Cpu).Show("P0")}";
    }

    private static ChildProcess Service(string assembly, int port, BrokerUnderTest broker) =>
        ChildProcess.Start(
            "dotnet",
            [assembly],
            ServiceSettings.With(
                ("ASPNETCORE_URLS", $"http://127.0.0.1:{port}"),
                ("ServiceBus__ConnectionString", broker.ConnectionString)
            )
        );

    private static ChildProcess Bare(int port, params string[] more) =>
        ChildProcess.StartOwn(
            "Bench",
            [BareEndpoint.Name, BareEndpoint.Port, $"{port}", .. more],
            ServiceSettings.With()
        );

    private static byte[] Body() =>
        JsonSerializer.SerializeToUtf8Bytes(
            new DeliveryRequest
            {
                OwnerId = "owner-1",
                PickupLocation = new Location { Latitude = 47.6, Longitude = -122.3 },
                DropOffLocation = new Location { Latitude = 47.7, Longitude = -122.2 },
                PickupTime = new DateTimeOffset(2030, 1, 1, 12, 0, 0, TimeSpan.Zero),
                PackageInfo = new PackageInfo
                {
                    PackageId = "package-1",
                    Size = PackageSize.Small,
                    Weight = 1.5,
                },
            },
            ContractJson.Options
        );

    /// <summary>A process, started to be measured.</summary>
    private sealed class Server(string name, Func<int, ChildProcess> start) : IAsyncDisposable
    {
        private readonly int _port = ChildProcess.FreePort();
        private ChildProcess? _process;

        /// <param name="path">Where requests go.</param>
        /// <param name="status">Of the answers.</param>
        /// <param name="broker">Whose CPU counts too; null: nothing is sent.</param>
        public async Task<Contender> ContenderAsync(string path, int status, BrokerUnderTest? broker)
        {
            _process = start(_port);
            await ChildProcess.UntilReachable(_port, TimeSpan.FromSeconds(30));
            var contender = new Contender(name)
            {
                Connections = Connections,
                Load = each => HttpLoad.Run(_port, path, Body(), Connections, each, status),
                Processes = { ["server"] = _process },
                Reset = broker is null ? () => Task.CompletedTask : broker.PurgeAsync,
            };
            if (broker is not null)
                contender.Processes["broker"] = broker.Process;
            return contender;
        }

        public ValueTask DisposeAsync() => _process?.DisposeAsync() ?? ValueTask.CompletedTask;
    }
}
