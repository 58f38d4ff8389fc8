using System.CommandLine;

namespace DroneDelivery.Bench.Broker;

/// <summary>
/// Throughput of the local Service Bus beside RabbitMQ's AMQP 1.0 plugin, with the same client and the same messages (1 KB), and with the
/// official SDK as the client; the brokers in turn within each repetition. Figures are messages per second, and the CPU and the
/// allocations of the broker for a message.
/// </summary>
internal static class CompareBrokers
{
    private const string SendOnly = "send only",
        ReceiveOnly = "receive only",
        Both = "both";
    private static readonly string[] Loads = [SendOnly, ReceiveOnly, Both];

    public static Command Command()
    {
        var count = new Option<int>("--messages")
        {
            Description = "messages per measurement",
            DefaultValueFactory = _ => 20_000,
        };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var properties = new Option<int>("--properties")
        {
            Description = $"application properties of a message, 0 to {MeasuredMessage.MostProperties}",
            DefaultValueFactory = _ => MeasuredMessage.MostProperties,
        };
        var receivers = new Option<int[]>("--receivers")
        {
            AllowMultipleArgumentsPerToken = true,
            DefaultValueFactory = _ => [1, 4, 16],
        };
        var prefetches = new Option<uint[]>("--prefetch")
        {
            AllowMultipleArgumentsPerToken = true,
            DefaultValueFactory = _ => [0, 100, 1000],
        };
        var atATime = new Option<int>("--at-a-time")
        {
            Description =
                "callers of the SDK that send, and with prefetch as many that receive: each waits for its answers",
            DefaultValueFactory = _ => AnsweredPairs.Callers,
        };
        var withoutSdk = new Option<bool>("--without-sdk")
        {
            Description = "leave the official SDK on the local Service Bus out",
        };
        var withoutRabbit = new Option<bool>("--without-rabbitmq") { Description = "leave RabbitMQ out" };
        var beside = new Option<FileInfo>("--beside")
        {
            Description =
                "compare with the local Service Bus of another build instead of other brokers: its DroneDelivery.ServiceBus.dll",
        };
        beside.AcceptExistingOnly();
        var onDisk = new Option<bool>("--on-disk")
        {
            Description =
                "compare brokers that keep messages on disk; 128 callers wait for each send and each settlement",
        };
        var connections = new Option<int>("--connections")
        {
            Description =
                "with --on-disk: connections that send, and as many that receive; a power of two, at most 128",
            DefaultValueFactory = _ => 4,
        };
        connections.AcceptOnlyFromAmong("1", "2", "4", "8", "16", "32", "64", "128");
        var rates = new Option<int[]>("--rate")
        {
            AllowMultipleArgumentsPerToken = true,
            Description = "measure latency instead: messages a second that leave whether or not the broker keeps up",
        };
        var seconds = new Option<int>("--seconds")
        {
            Description = "with --rate: of each measurement",
            DefaultValueFactory = _ => 10,
        };
        var command = new Command(
            "broker",
            "Throughput of the local Service Bus beside RabbitMQ, and with the official SDK: send only, receive only, both; "
                + "or --on-disk. With --rate: latency beside RabbitMQ."
        )
        {
            count,
            repetitions,
            properties,
            receivers,
            prefetches,
            atATime,
            withoutSdk,
            withoutRabbit,
            beside,
            onDisk,
            connections,
            rates,
            seconds,
        };
        command.SetAction(
            async (parsed, _) =>
            {
                var plan = new Plan(
                    parsed.GetValue(count),
                    parsed.GetValue(repetitions),
                    parsed.GetValue(properties),
                    parsed.GetValue(receivers)!,
                    parsed.GetValue(prefetches)!,
                    parsed.GetValue(connections)
                );
                ChildProcess.KeepLoadLean();
                var isOnDisk = parsed.GetValue(onDisk);
                var isLatency = parsed.GetValue(rates) is { Length: > 0 };
                await using var brokers = new Contenders();
                await brokers.StartAsync(
                    isOnDisk,
                    parsed.GetValue(beside),
                    parsed.GetValue(withoutSdk) || isLatency ? null : new SdkClient(parsed.GetValue(atATime)),
                    !parsed.GetValue(withoutRabbit)
                );
                if (isLatency)
                {
                    await CompareLatency.Run(brokers.All, plan, parsed.GetValue(rates)!, parsed.GetValue(seconds));
                    return;
                }
                Console.WriteLine(
                    $"{plan.Messages:N0} messages of 1 KB with {plan.Properties} properties per measurement, "
                        + $"{plan.Repetitions} repetitions, {Environment.ProcessorCount} processors; median (range) in messages/s, "
                        + "CPU and allocations of the broker for a message"
                );
                foreach (var broker in brokers.All.Where(broker => broker.Difference is not null))
                    Console.WriteLine($"{broker.Name}: {broker.Difference}");
                await (isOnDisk ? ComparePairs.Run(brokers.All, plan) : Run(brokers.All, plan));
            }
        );
        return command;
    }

    /// <summary>What is measured.</summary>
    internal sealed record Plan(
        int Messages,
        int Repetitions,
        int Properties,
        int[] Receivers,
        uint[] Prefetches,
        int Connections
    );

    private static async Task Run(IReadOnlyList<BrokerUnderTest> brokers, Plan plan)
    {
        for (var round = 0; round < Contenders.RoundsToCompile; round++)
        {
            foreach (var broker in brokers)
                await Measure([], broker, 1, 100, plan);
        }
        foreach (var receivers in plan.Receivers)
        {
            foreach (var prefetch in plan.Prefetches)
            {
                var figures = new Dictionary<(string Load, BrokerUnderTest Broker), Figures>();
                for (var repetition = 0; repetition < plan.Repetitions; repetition++)
                {
                    foreach (var broker in Contenders.InTurn(brokers, repetition))
                        await Measure(figures, broker, receivers, prefetch, plan);
                }
                foreach (var load in Loads)
                {
                    Contenders.Print(
                        $"receivers {receivers}, prefetch {prefetch}, {load}",
                        [.. brokers.Select(broker => (broker, figures[(load, broker)]))]
                    );
                }
            }
        }
    }

    private static async Task Measure(
        Dictionary<(string Load, BrokerUnderTest Broker), Figures> figures,
        BrokerUnderTest broker,
        int receivers,
        uint prefetch,
        Plan plan
    )
    {
        await Add(SendOnly, Send);
        await Add(ReceiveOnly, Receive);
        await Add(Both, () => Task.WhenAll(Send(), Receive()));

        Task Add(string load, Func<Task> work)
        {
            if (!figures.TryGetValue((load, broker), out var measured))
                figures[(load, broker)] = measured = new Figures();
            return measured.AddAsync(broker, plan.Messages, work);
        }

        Task Send() => broker.Client.SendAsync(broker, plan.Properties, plan.Messages);

        Task Receive() => broker.Client.ReceiveAsync(broker, receivers, prefetch, plan.Messages);
    }
}
