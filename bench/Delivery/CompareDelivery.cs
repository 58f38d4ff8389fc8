using System.CommandLine;
using DroneDelivery.Bench.Ingestion;

namespace DroneDelivery.Bench.Delivery;

/// <summary>
/// Delivery beside <see cref="BareDelivery"/>, which does the same to the same Redis through the same client, in turn within each
/// repetition. The load is PUTs of new deliveries.
/// </summary>
internal static class CompareDelivery
{
    private const int Connections = 64;

    public static Command Command()
    {
        var requests = new Option<int>("--requests")
        {
            Description = "requests per measurement",
            DefaultValueFactory = _ => 32_000,
        };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var command = new Command("delivery", "Delivery beside a bare endpoint with the same commands to Redis.")
        {
            requests,
            repetitions,
        };
        command.SetAction((parsed, _) => Run(parsed.GetValue(requests) / Connections, parsed.GetValue(repetitions)));
        return command;
    }

    private static async Task Run(int requestsEach, int repetitions)
    {
        var redisPort = ChildProcess.FreePort();
        await using var redis = StoreOfDeliveries.Start(redisPort);
        await using var store = await StoreOfDeliveries.ConnectAsync(redisPort);

        var (deliveryPort, barePort) = (ChildProcess.FreePort(), ChildProcess.FreePort());
        await using var delivery = ChildProcess.StartOwn(
            "Delivery",
            [],
            ServiceSettings.With(
                ("ASPNETCORE_URLS", $"http://127.0.0.1:{deliveryPort}"),
                ("Redis__ConnectionString", $"127.0.0.1:{redisPort}")
            )
        );
        await using var bare = ChildProcess.StartOwn(
            "Bench",
            ["bare-delivery", "--port", $"{barePort}", "--redis", $"{redisPort}"],
            ServiceSettings.With()
        );
        Contender[] all =
        [
            Storing("Delivery", deliveryPort, delivery, redis, store),
            Storing("bare loop", barePort, bare, redis, store),
        ];
        await ChildProcess.UntilReachable(deliveryPort, TimeSpan.FromSeconds(30));
        await ChildProcess.UntilReachable(barePort, TimeSpan.FromSeconds(30));
        await RequireSameScript(all[0], store);

        Console.WriteLine(
            $"{requestsEach * Connections:N0} PUTs over {Connections} connections, {repetitions} repetitions; median (range)"
        );
        await Contender.MeasureAsync(all, requestsEach, repetitions);
        foreach (var one in all)
            Console.WriteLine(one.Show());
        Console.WriteLine($"Delivery / bare loop {all[0].Rate.Median / all[1].Rate.Median:P0}");
    }

    private static Contender Storing(
        string name,
        int port,
        ChildProcess process,
        ChildProcess redis,
        StoreOfDeliveries store
    ) =>
        new(name)
        {
            Connections = Connections,
            Load = each => HttpLoad.Run(port, () => PutRequest.Next(port), Connections, each, expectedStatus: 201),
            Processes = { ["server"] = process, ["Redis"] = redis },
            Reset = store.EmptyAsync,
        };

    /// <summary>What does something else to Redis is no comparison.</summary>
    private static async Task RequireSameScript(Contender delivery, StoreOfDeliveries store)
    {
        await delivery.Load(1);
        if (!await store.HasScriptAsync(BareDelivery.Script))
        {
            throw new InvalidOperationException(
                "Delivery runs another script than BareDelivery: copy the one of DeliveryStore.AddAsync."
            );
        }
    }
}
