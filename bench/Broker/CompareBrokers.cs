using System.CommandLine;
using System.Diagnostics;
using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>
/// Throughput of the local Service Bus beside RabbitMQ's AMQP 1.0 plugin: the same client, the same messages (1 KB, not durable), the
/// two brokers in turn within each repetition. Figures are messages per second.
/// </summary>
internal static class CompareBrokers
{
    private const int SendingLinks = 4;
    private static readonly int[] Receivers = [1, 4, 16];
    private static readonly uint[] Prefetches = [0, 100, 1000];

    public static Command Command()
    {
        var count = new Option<int>("--messages") { Description = "messages per measurement", DefaultValueFactory = _ => 20_000 };
        var repetitions = new Option<int>("--repetitions") { DefaultValueFactory = _ => 5 };
        var withoutRabbit = new Option<bool>("--without-rabbitmq") { Description = "measure the local Service Bus alone" };
        var beside = new Option<FileInfo>("--beside")
        {
            Description = "compare with the local Service Bus of another build instead of RabbitMQ: its DroneDelivery.ServiceBus.dll",
        };
        beside.AcceptExistingOnly();
        var command = new Command("broker", "Broker throughput: send only, receive only, both; 1, 4, 16 receivers; prefetch 0, 100, 1000.")
        {
            count, repetitions, withoutRabbit, beside,
        };
        command.SetAction((parsed, _) => Run(
            parsed.GetValue(count),
            parsed.GetValue(repetitions),
            () => StartOther(parsed.GetValue(beside), parsed.GetValue(withoutRabbit))));
        return command;
    }

    private static async Task<BrokerUnderTest?> StartOther(FileInfo? otherBuild, bool withoutRabbit) =>
        otherBuild is not null ? await BrokerUnderTest.StartLocalServiceBus("the other build", otherBuild.FullName)
        : withoutRabbit ? null
        : await BrokerUnderTest.StartRabbitMq();

    private static async Task Run(int count, int repetitions, Func<Task<BrokerUnderTest?>> startOther)
    {
        await using var ours = await BrokerUnderTest.StartLocalServiceBus();
        await using var other = await startOther();
        BrokerUnderTest[] brokers = other is null ? [ours] : [ours, other];
        Console.WriteLine($"{count:N0} messages of 1 KB per measurement, {repetitions} repetitions, "
            + $"{Environment.ProcessorCount} processors; median (range) in messages/s");

        foreach (var broker in brokers)
            await Measure(broker, 1, 100, count / 4);   // warm up: JIT, buffers, queue declared
        foreach (var receivers in Receivers)
        {
            foreach (var prefetch in Prefetches)
                Print(receivers, prefetch, brokers, await MeasureInTurn(brokers, receivers, prefetch, count, repetitions));
        }
    }

    private static async Task<Dictionary<(string Broker, string Figure), Sample>> MeasureInTurn(
        BrokerUnderTest[] brokers, int receivers, uint prefetch, int count, int repetitions)
    {
        var samples = new Dictionary<(string, string), Sample>();
        for (var repetition = 0; repetition < repetitions; repetition++)
        {
            foreach (var broker in repetition % 2 == 0 ? brokers : brokers.Reverse())   // so that being first favours neither
            {
                foreach (var (figure, rate) in await Measure(broker, receivers, prefetch, count))
                {
                    if (!samples.TryGetValue((broker.Name, figure), out var sample))
                        samples[(broker.Name, figure)] = sample = new Sample();
                    sample.Add(rate);
                }
            }
        }
        return samples;
    }

    private static async Task<(string Figure, double Rate)[]> Measure(BrokerUnderTest broker, int receivers, uint prefetch, int count) =>
    [
        ("send only", await Rate(count, () => Send(broker, count))),
        ("receive only", await Rate(count, () => Receive(broker, receivers, prefetch, count))),
        ("both", await Rate(count, () => Task.WhenAll(Send(broker, count), Receive(broker, receivers, prefetch, count)))),
    ];

    private static async Task<double> Rate(int count, Func<Task> work)
    {
        var start = Stopwatch.GetTimestamp();
        await work();
        return count / Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    private static async Task Send(BrokerUnderTest broker, int count)
    {
        var message = new AmqpMessage { Data = [new byte[1024]] }.ToArray();
        await using var connection = await Connect(broker);
        var session = await connection.BeginSessionAsync(null, CancellationToken.None);
        var shares = Enumerable.Range(0, SendingLinks).Select(link => count / SendingLinks + (link < count % SendingLinks ? 1 : 0));
        var links = await Task.WhenAll(shares.Select(share => Sending.Start(session, broker.QueueAddress, message, share)));
        await Task.WhenAll(links.Select(link => link.Accepted));
    }

    private static async Task Receive(BrokerUnderTest broker, int receivers, uint prefetch, int count)
    {
        var remaining = new Remaining(count);
        var connections = await Task.WhenAll(Enumerable.Range(0, receivers).Select(_ => Connect(broker)));
        foreach (var connection in connections)
        {
            var session = await connection.BeginSessionAsync(null, CancellationToken.None);
            await Receiving.Start(session, broker.QueueAddress, prefetch, remaining);
        }
        await remaining.None;
        foreach (var connection in connections)
            await connection.DisposeAsync();
    }

    private static Task<AmqpConnection> Connect(BrokerUnderTest broker) =>
        AmqpConnection.ConnectAsync("127.0.0.1", broker.Port, useTls: false, new AmqpConnectionOptions(), CancellationToken.None);

    private static void Print(
        int receivers, uint prefetch, BrokerUnderTest[] brokers, Dictionary<(string Broker, string Figure), Sample> samples)
    {
        foreach (var figure in new[] { "send only", "receive only", "both" })
        {
            var cells = brokers.Select(broker => $"{broker.Name} {samples[(broker.Name, figure)].Show()}");
            var ratio = brokers.Length == 2
                ? $"; ratio {samples[(brokers[0].Name, figure)].Median / samples[(brokers[1].Name, figure)].Median:N2}"
                : "";
            Console.WriteLine($"receivers {receivers,2}, prefetch {prefetch,4}, {figure,-12}: {string.Join(", ", cells)}{ratio}");
        }
    }
}
