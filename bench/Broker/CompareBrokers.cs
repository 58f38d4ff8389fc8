using System.CommandLine;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Bench.Broker;

/// <summary>
/// Compares the local Service Bus with RabbitMQ's AMQP 1.0 plugin, if installed, with the same client and 1 KB messages, and measures it
/// with the official SDK.
/// </summary>
internal static class CompareBrokers
{
    private const int LatencySeconds = 10;

    private static readonly Option<int[]> Receivers = Many(
        "--receivers",
        "receivers, each with a connection",
        1,
        4,
        16
    );
    private static readonly Option<int[]> Prefetches = Many(
        "--prefetch",
        "prefetch counts of each receiver",
        0,
        100,
        1000
    );
    private static readonly Option<int[]> Rates = Many("--rate", "measure latency at a fixed rate instead: messages/s");
    private static readonly Option<bool> OnDisk = new("--on-disk")
    {
        Description = "compare brokers that store messages on disk; callers wait for each send and each settlement",
    };

    public static Command Command() =>
        Comparison.Command(
            "broker",
            "Throughput of the local Service Bus compared with RabbitMQ, and with the official SDK: send only, receive only, both.",
            RunAsync,
            defaultCount: 20_000,
            Receivers,
            Prefetches,
            Rates,
            OnDisk
        );

    private static async Task RunAsync(Comparison comparison, ParseResult parsed)
    {
        ChildProcess.KeepLoadLean();
        var (isOnDisk, rates, receivers) = (
            parsed.GetValue(OnDisk),
            parsed.GetValue(Rates)!,
            parsed.GetValue(Receivers)!
        );
        var brokers = await StartAsync(comparison, isOnDisk);
        if (isOnDisk)
        {
            await comparison.RunAsync("acknowledged sends and settlements", [.. brokers.Select(Answered)]);
            return;
        }
        foreach (var rate in rates)
        {
            await comparison.RunAsync(
                $"{rate:N0} messages/s, {receivers[0]} receivers",
                [.. brokers.Select(broker => Latency(broker, rate, receivers[0]))],
                rate * LatencySeconds
            );
        }
        if (rates.Length > 0)
            return;
        var sdk = comparison.Own(
            await BrokerUnderTest.StartLocalServiceBusAsync(name: "official SDK, Local Service Bus") with
            {
                Client = new SdkClient(),
            }
        );
        BrokerUnderTest[] all = [.. brokers, sdk];
        foreach (var count in receivers)
        {
            foreach (var prefetch in parsed.GetValue(Prefetches)!)
            {
                var title = $"receivers {count}, prefetch {prefetch}";
                await comparison.RunAsync($"{title}, send only", [.. all.Select(broker => SendOnly(broker, count))]);
                await comparison.RunAsync(
                    $"{title}, receive only",
                    [.. all.Select(broker => ReceiveOnly(broker, count, (uint)prefetch))]
                );
                await comparison.RunAsync(
                    $"{title}, both",
                    [.. all.Select(broker => Both(broker, count, (uint)prefetch))]
                );
            }
        }
    }

    private static async Task<List<BrokerUnderTest>> StartAsync(Comparison comparison, bool isOnDisk)
    {
        var brokers = new List<BrokerUnderTest>();
        foreach (var (name, program) in comparison.Builds("ServiceBus"))
            brokers.Add(comparison.Own(await BrokerUnderTest.StartLocalServiceBusAsync(program, name, isOnDisk)));
        if (File.Exists(RabbitMq.Server))
            brokers.Add(comparison.Own(await RabbitMq.StartAsync(isOnDisk)));
        else
            Console.WriteLine($"RabbitMQ is missing: apt-get install --no-install-recommends rabbitmq-server");
        return brokers;
    }

    private static Contender SendOnly(BrokerUnderTest broker, int receivers) =>
        Loading(broker, count => broker.Client.SendAsync(broker, count)) with
        {
            After = count => broker.Client.ReceiveAsync(broker, receivers, prefetch: 100, count),
        };

    private static Contender ReceiveOnly(BrokerUnderTest broker, int receivers, uint prefetch) =>
        Loading(broker, count => broker.Client.ReceiveAsync(broker, receivers, prefetch, count)) with
        {
            Before = count => broker.Client.SendAsync(broker, count),
        };

    private static Contender Both(BrokerUnderTest broker, int receivers, uint prefetch) =>
        Loading(broker, count =>
            Task.WhenAll(
                broker.Client.SendAsync(broker, count),
                broker.Client.ReceiveAsync(broker, receivers, prefetch, count)
            )
        );

    private static Contender Answered(BrokerUnderTest broker) =>
        Loading(broker, count => AnsweredPairs.RunAsync(broker, count));

    private static Contender Latency(BrokerUnderTest broker, int rate, int receivers)
    {
        double[] sorted = [];
        return Loading(broker, async count => sorted = await new OpenLoad(rate, count).RunAsync(broker, receivers)) with
        {
            Figures = () =>
                [
                    ("ms p50", Percentiles.Of(sorted, 0.5)),
                    ("p99", Percentiles.Of(sorted, 0.99)),
                    ("p99.9", Percentiles.Of(sorted, 0.999)),
                ],
        };
    }

    private static Contender Loading(BrokerUnderTest broker, Func<int, Task> load) =>
        new(broker.Name)
        {
            Load = load,
            Processes = new() { ["broker"] = broker.Process },
        };

    private static Option<int[]> Many(string name, string description, params int[] defaults) =>
        new(name)
        {
            Description = description,
            AllowMultipleArgumentsPerToken = true,
            DefaultValueFactory = _ => defaults,
        };
}
