using System.CommandLine;
using System.Diagnostics;
using DroneDelivery.Amqp;

namespace DroneDelivery.Bench.Broker;

/// <summary>
/// Throughput of the local Service Bus beside RabbitMQ's AMQP 1.0 plugin: the same client, the same messages (1 KB, not durable), the
/// two brokers in turn within each repetition. Figures are messages per second, and microseconds of the broker's CPU for a message.
/// </summary>
internal static class CompareBrokers
{
    private const int SendingLinks = 4;
    private const string Cpu = ", CPU";
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
        var onDisk = new Option<bool>("--on-disk")
        {
            Description = "compare with the local Service Bus that has a data folder; 128 callers wait for each send and each settlement",
        };
        var command = new Command("broker", "Broker throughput: send only, receive only, both; 1, 4, 16 receivers; prefetch 0, 100, 1000.")
        {
            count, repetitions, withoutRabbit, beside, onDisk,
        };
        command.SetAction((parsed, _) => parsed.GetValue(onDisk)
            ? MeasurePairs(parsed.GetValue(count), parsed.GetValue(repetitions))
            : Run(
                parsed.GetValue(count),
                parsed.GetValue(repetitions),
                () => StartOther(parsed.GetValue(beside), parsed.GetValue(withoutRabbit))));
        return command;
    }

    private static async Task MeasurePairs(int count, int repetitions)
    {
        await using var inMemory = await BrokerUnderTest.StartLocalServiceBus();
        await using var onDisk = await BrokerUnderTest.StartOnDisk();
        foreach (var broker in new[] { inMemory, onDisk })
        {
            var sample = new Sample();
            var cpu = new Sample();
            for (var repetition = 0; repetition <= repetitions; repetition++)
            {
                var before = broker.Process.CpuTime();
                await using var connection = await Connect(broker);
                var rate = await Rate(count, () => AnsweredPairs.Run(connection, broker.QueueAddress, OneKilobyte(), count));
                if (repetition == 0)
                    continue;   // warm up
                sample.Add(rate);
                cpu.Add((broker.Process.CpuTime() - before).TotalMicroseconds / count);
            }
            Console.WriteLine($"{broker.Name}: {sample.Show()} sends and settlements/s, both answered; "
                + $"{cpu.Show("N1")} us of the broker's CPU for a message");
        }
    }

    private static byte[] OneKilobyte() => new AmqpMessage { Data = [new byte[1024]] }.ToArray();

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
            + $"{Environment.ProcessorCount} processors; median (range) in messages/s, CPU of the broker for a message");

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
                foreach (var (figure, value) in await Measure(broker, receivers, prefetch, count))
                {
                    if (!samples.TryGetValue((broker.Name, figure), out var sample))
                        samples[(broker.Name, figure)] = sample = new Sample();
                    sample.Add(value);
                }
            }
        }
        return samples;
    }

    private static async Task<List<(string Figure, double Value)>> Measure(
        BrokerUnderTest broker, int receivers, uint prefetch, int count)
    {
        var measured = new List<(string, double)>();
        await Add("send only", () => Send(broker, count));
        await Add("receive only", () => Receive(broker, receivers, prefetch, count));
        await Add("both", () => Task.WhenAll(Send(broker, count), Receive(broker, receivers, prefetch, count)));
        return measured;

        async Task Add(string figure, Func<Task> work)
        {
            var before = broker.Process.CpuTime();
            measured.Add((figure, await Rate(count, work)));
            measured.Add((figure + Cpu, (broker.Process.CpuTime() - before).TotalMicroseconds / count));
        }
    }

    private static async Task<double> Rate(int count, Func<Task> work)
    {
        var start = Stopwatch.GetTimestamp();
        await work();
        return count / Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    private static async Task Send(BrokerUnderTest broker, int count)
    {
        var message = OneKilobyte();
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

    private static Task<AmqpConnection> Connect(BrokerUnderTest broker)
    {
        var options = new AmqpConnectionOptions { Sasl = broker.Login };
        return AmqpConnection.ConnectAsync("127.0.0.1", broker.Port, useTls: false, options, CancellationToken.None);
    }

    private static void Print(
        int receivers, uint prefetch, BrokerUnderTest[] brokers, Dictionary<(string Broker, string Figure), Sample> samples)
    {
        foreach (var figure in new[] { "send only", "receive only", "both" })
        {
            var cells = brokers.Select(broker =>
                $"{broker.Name} {samples[(broker.Name, figure)].Show()} {samples[(broker.Name, figure + Cpu)].Median:N1} us");
            var ratio = brokers.Length == 2
                ? $"; ratio {samples[(brokers[0].Name, figure)].Median / samples[(brokers[1].Name, figure)].Median:N2}"
                : "";
            Console.WriteLine($"receivers {receivers,2}, prefetch {prefetch,4}, {figure,-12}: {string.Join(", ", cells)}{ratio}");
        }
    }
}
