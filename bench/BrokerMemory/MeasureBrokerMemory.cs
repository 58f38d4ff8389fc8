using System.CommandLine;
using DroneDelivery.Amqp;
using DroneDelivery.Bench.Broker;

namespace DroneDelivery.Bench.BrokerMemory;

/// <summary>
/// Memory of the broker's process: for each connection with idle receivers, and for queued messages. It is read when it does not change any
/// more; garbage that nobody has collected by then counts.
/// </summary>
internal static class MeasureBrokerMemory
{
    private const string Queue = "memory";

    // Room for a million messages of 1 KB and more.
    private const string Roomy = "<MaxSizeInMegabytes>5120</MaxSizeInMegabytes>";

    public static Command Command()
    {
        var connections = new Option<int>("--connections")
        {
            Description = "at most 1000",
            DefaultValueFactory = _ => 1000,
        };
        var receivers = new Option<int>("--receivers")
        {
            Description = "idle receivers of a connection, each in a session of its own, as SDKs have them",
            DefaultValueFactory = _ => 10,
        };
        var messages = new Option<int>("--messages")
        {
            Description = "queued messages of 1 KB",
            DefaultValueFactory = _ => 1_000_000,
        };
        var beside = new Option<FileInfo>("--beside")
        {
            Description = "measure the broker of another build first: its DroneDelivery.ServiceBus.dll",
        };
        beside.AcceptExistingOnly();
        var command = new Command(
            "broker-memory",
            "Memory of the broker for connections with idle receivers, and for queued messages."
        )
        {
            connections,
            receivers,
            messages,
            beside,
        };
        command.SetAction(
            async (parsed, _) =>
            {
                if (parsed.GetValue(beside) is { } other)
                    await Run("the other build", other.FullName);
                await Run("this build", ChildProcess.OwnProgram("ServiceBus"));

                async Task Run(string name, string assembly)
                {
                    Console.WriteLine(name);
                    await MeasureConnections(assembly, parsed.GetValue(connections), parsed.GetValue(receivers));
                    await MeasureMessages(assembly, parsed.GetValue(messages));
                }
            }
        );
        return command;
    }

    private static async Task MeasureConnections(string assembly, int count, int receivers)
    {
        await using var broker = await BrokerUnderTest.StartLocalServiceBus("broker", assembly);
        await broker.CreateQueueAsync(Queue);
        await using (await ConnectAsync(broker, receivers))
            await Task.Delay(TimeSpan.FromSeconds(1)); // warm up: JIT, buffers
        var before = await ProcessMemory.StableOf(broker.Process.Id);
        var connections = new List<AmqpConnection>();
        for (var i = 0; i < count; i++)
            connections.Add(await ConnectAsync(broker, receivers));
        await Show(
            $"{count:N0} connections with {receivers} idle receivers each",
            broker,
            before,
            count,
            "KB a connection",
            1e3
        );
        foreach (var connection in connections)
            await connection.DisposeAsync();
    }

    private static async Task MeasureMessages(string assembly, int count)
    {
        await using var broker = await BrokerUnderTest.StartLocalServiceBus("broker", assembly);
        await broker.CreateQueueAsync(Queue, Roomy);
        var before = await ProcessMemory.StableOf(broker.Process.Id);
        await broker.FillAsync(Queue, BrokerCalls.MessageOf(1024), count);
        await Show($"{count:N0} queued messages of 1 KB", broker, before, count, "bytes a message", 1);
    }

    private static async Task Show(
        string what,
        BrokerUnderTest broker,
        ProcessMemory before,
        int count,
        string unit,
        double bytes
    )
    {
        var after = await ProcessMemory.StableOf(broker.Process.Id);
        var each = (after.Resident - before.Resident) / bytes / count;
        Console.WriteLine($"  {what}: {after}, {before} before: {each:N1} {unit}");
    }

    /// <summary>Each receiver has credit and nothing to receive.</summary>
    private static async Task<AmqpConnection> ConnectAsync(BrokerUnderTest broker, int receivers)
    {
        var connection = await broker.ConnectAsync();
        for (var i = 0; i < receivers; i++)
        {
            var session = await connection.BeginSessionAsync(null, CancellationToken.None);
            await Receiving.Start(session, new Source { Address = Queue }, prefetch: 100, new Remaining(int.MaxValue));
        }
        return connection;
    }
}
