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
/// parse the same JSON. Both are processes of their own, in turn within each repetition. Figures are requests per second.
/// </summary>
internal static class CompareIngestion
{
    private const int Connections = 64;

    public static Command Command()
    {
        var requests = new Option<int>("--requests") { Description = "requests per measurement", DefaultValueFactory = _ => 32_000 };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var command = new Command("ingestion", "Ingestion beside a bare Kestrel endpoint that parses the same JSON.")
        {
            requests,
            repetitions,
        };
        command.SetAction((parsed, _) => Run(parsed.GetValue(requests) / Connections, parsed.GetValue(repetitions)));
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

    private static async Task Run(int requestsEach, int repetitions)
    {
        await using var broker = await BrokerUnderTest.StartLocalServiceBus();
        var (ingestionPort, barePort) = (ChildProcess.FreePort(), ChildProcess.FreePort());
        await using var ingestion = ChildProcess.StartOwn("Ingestion", [], new Dictionary<string, string>
        {
            ["ASPNETCORE_URLS"] = $"http://127.0.0.1:{ingestionPort}",
            ["ServiceBus__ConnectionString"] =
                $"Endpoint=sb://127.0.0.1:{broker.Port};SharedAccessKeyName=RootManageSharedAccessKey;"
                + "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true",
        });
        await using var bare = ChildProcess.StartOwn("Bench", ["bare-kestrel", "--port", $"{barePort}"], new Dictionary<string, string>());
        await ChildProcess.UntilReachable(ingestionPort, TimeSpan.FromSeconds(30));
        await ChildProcess.UntilReachable(barePort, TimeSpan.FromSeconds(30));

        Console.WriteLine($"{requestsEach * Connections:N0} requests over {Connections} connections, {repetitions} repetitions; "
            + "median (range) in requests/s");
        var (ours, theirs) = (new Sample(), new Sample());
        await MeasureBoth(ingestionPort, barePort, requestsEach / 4, new Sample(), new Sample());   // warm up
        for (var repetition = 0; repetition < repetitions; repetition++)
            await MeasureBoth(ingestionPort, barePort, requestsEach, ours, theirs);
        Console.WriteLine($"Ingestion {ours.Show()}, bare Kestrel {theirs.Show()}; ratio {ours.Median / theirs.Median:P0}");
    }

    private static async Task MeasureBoth(int ingestionPort, int barePort, int requestsEach, Sample ours, Sample theirs)
    {
        ours.Add(await HttpLoad.Run(ingestionPort, "/api/deliveryrequests", Body(), Connections, requestsEach, expectedStatus: 202));
        theirs.Add(await HttpLoad.Run(barePort, "/", Body(), Connections, requestsEach, expectedStatus: 200));
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
}
