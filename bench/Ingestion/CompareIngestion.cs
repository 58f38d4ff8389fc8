using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Bench.Broker;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Bench.Ingestion;

/// <summary>
/// Ingestion (validate, send to the broker, wait for its acknowledgement, 202) beside a bare Kestrel endpoint that does nothing but
/// parse the same JSON. All are processes of their own with the same settings, in turn within each repetition.
/// </summary>
internal static class CompareIngestion
{
    private const int Connections = 64;

    public static Command Command()
    {
        var requests = new Option<int>("--requests") { Description = "requests per measurement", DefaultValueFactory = _ => 32_000 };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var beside = new Option<FileInfo?>("--beside")
        {
            Description = "DroneDelivery.Ingestion.dll of another build, to see what a change costs",
        };
        var command = new Command("ingestion", "Ingestion beside a bare Kestrel endpoint that parses the same JSON.")
        {
            requests,
            repetitions,
            beside,
        };
        command.SetAction((parsed, _) =>
            Run(parsed.GetValue(requests) / Connections, parsed.GetValue(repetitions), parsed.GetValue(beside)));
        return command;
    }

    /// <summary>The bare endpoint as a process of its own; started by <see cref="Command"/>.</summary>
    public static Command BareKestrelCommand()
    {
        var port = new Option<int>("--port") { Required = true };
        var command = new Command("bare-kestrel", "The endpoint that Ingestion is measured against.") { port };
        command.SetAction((parsed, ct) => ServeBare(parsed.GetValue(port), ct));
        return command;
    }

    private static async Task Run(int requestsEach, int repetitions, FileInfo? otherBuild)
    {
        await using var broker = await BrokerUnderTest.StartLocalServiceBus(ServiceSettings.With());
        await using var ingestion = new Accepting("Ingestion", ChildProcess.OwnProgram("Ingestion"), broker);
        await using var other = otherBuild is null ? null : new Accepting("other build", otherBuild.FullName, broker);
        var barePort = ChildProcess.FreePort();
        await using var bare = ChildProcess.StartOwn("Bench", ["bare-kestrel", "--port", $"{barePort}"], ServiceSettings.With());
        await ChildProcess.UntilReachable(barePort, TimeSpan.FromSeconds(30));
        var theirs = new Contender("bare Kestrel")
        {
            Connections = Connections,
            Load = each => HttpLoad.Run(barePort, "/", Body(), Connections, each, expectedStatus: 200),
            Processes = { ["server"] = bare },
        };

        Console.WriteLine(
            $"{requestsEach * Connections:N0} requests over {Connections} connections, {repetitions} repetitions; median (range)");
        var ours = await ingestion.ContenderAsync();
        var before = other is null ? null : await other.ContenderAsync();
        List<Contender> all = before is null ? [ours, theirs] : [ours, before, theirs];
        await Contender.MeasureAsync(all, requestsEach, repetitions);
        all.ForEach(one => Console.WriteLine(one.Show()));
        Console.WriteLine(
            $"Ingestion / bare Kestrel {ours.Rate.Median / theirs.Rate.Median:P0}; by CPU {theirs.Cpu.Over(ours.Cpu).Show("P0")}");
        if (before is not null)
            Console.WriteLine($"CPU of Ingestion / other build {ours.Cpu.Over(before.Cpu).Show("P0")}");
    }

    private static async Task<int> ServeBare(int port, CancellationToken cancellationToken)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls($"http://127.0.0.1:{port}");
        builder.Services.ConfigureHttpJsonOptions(options => ContractJson.Configure(options.SerializerOptions));
        var app = builder.Build();
        app.MapPost("/", (DeliveryRequest request) => Results.Ok());
        await app.StartAsync(cancellationToken);
        await app.WaitForShutdownAsync(cancellationToken);
        return 0;
    }

    private static byte[] Body() => JsonSerializer.SerializeToUtf8Bytes(
        new DeliveryRequest
        {
            OwnerId = "owner-1",
            PickupLocation = new Location { Latitude = 47.6, Longitude = -122.3 },
            DropOffLocation = new Location { Latitude = 47.7, Longitude = -122.2 },
            PickupTime = new DateTimeOffset(2030, 1, 1, 12, 0, 0, TimeSpan.Zero),
            PackageInfo = new PackageInfo { PackageId = "package-1", Size = PackageSize.Small, Weight = 1.5 },
        },
        ContractJson.Options);

    /// <summary>An Ingestion that sends to the broker.</summary>
    private sealed class Accepting : IAsyncDisposable
    {
        private readonly int _port = ChildProcess.FreePort();
        private readonly string _name;
        private readonly BrokerUnderTest _broker;
        private readonly ChildProcess _process;

        public Accepting(string name, string assembly, BrokerUnderTest broker)
        {
            (_name, _broker) = (name, broker);
            _process = ChildProcess.Start("dotnet", [assembly], ServiceSettings.With(
                ("ASPNETCORE_URLS", $"http://127.0.0.1:{_port}"), ("ServiceBus__ConnectionString", broker.ConnectionString)));
        }

        public async Task<Contender> ContenderAsync()
        {
            await ChildProcess.UntilReachable(_port, TimeSpan.FromSeconds(30));
            return new(_name)
            {
                Connections = Connections,
                Load = each => HttpLoad.Run(_port, "/api/deliveryrequests", Body(), Connections, each, expectedStatus: 202),
                Processes = { ["Ingestion"] = _process, ["broker"] = _broker.Process },
                Reset = _broker.PurgeAsync,
            };
        }

        public ValueTask DisposeAsync() => _process.DisposeAsync();
    }
}
