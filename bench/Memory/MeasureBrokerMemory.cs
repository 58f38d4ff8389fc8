using System.CommandLine;
using DroneDelivery.Amqp;
using DroneDelivery.Bench.Broker;

namespace DroneDelivery.Bench.Memory;

/// <summary>
/// Measures the broker's memory for connections with idle receivers and for queued messages, including uncollected garbage.
/// </summary>
internal static class MeasureBrokerMemory
{
    // Room for a million 1 KB messages.
    private const string Roomy = "<MaxSizeInMegabytes>5120</MaxSizeInMegabytes>";

    public static Command Command()
    {
        var connections = Number("--connections", "at most 1000", 1000);
        var receivers = Number("--receivers", "idle receivers per connection, each in its own session", 10);
        var messages = Number("--messages", "queued messages of 1 KB", 1_000_000);
        var command = new Command(
            "broker-memory",
            "Memory of the broker for connections with idle receivers, and for queued messages."
        )
        {
            connections,
            receivers,
            messages,
        };
        command.SetAction(
            async (parsed, _) =>
            {
                await MeasureConnectionsAsync(parsed.GetValue(connections), parsed.GetValue(receivers));
                await MeasureMessagesAsync(parsed.GetValue(messages));
            }
        );
        return command;
    }

    private static Option<int> Number(string name, string description, int number) =>
        new(name) { Description = description, DefaultValueFactory = _ => number };

    private static async Task MeasureConnectionsAsync(int count, int receivers)
    {
        await using var broker = await BrokerUnderTest.StartLocalServiceBusAsync();
        await using (await ConnectAsync(broker, receivers))
            await Task.Delay(TimeSpan.FromSeconds(1)); // warm up: JIT, buffers
        var before = await ProcessMemory.StableOf(broker.Process.Id);
        var connections = new List<AmqpConnection>();
        for (var i = 0; i < count; i++)
            connections.Add(await ConnectAsync(broker, receivers));
        await ShowAsync($"{count:N0} connections with {receivers} idle receivers each", broker, before, count);
        foreach (var connection in connections)
            await connection.DisposeAsync();
    }

    private static async Task MeasureMessagesAsync(int count)
    {
        await using var broker = await BrokerUnderTest.StartLocalServiceBusAsync();
        var roomy = broker with { QueueAddress = "memory" };
        await roomy.CreateQueueAsync(roomy.QueueAddress, Roomy);
        var before = await ProcessMemory.StableOf(broker.Process.Id);
        await roomy.Client.SendAsync(roomy, count);
        await ShowAsync($"{count:N0} queued messages of 1 KB", broker, before, count);
    }

    private static async Task ShowAsync(string title, BrokerUnderTest broker, ProcessMemory before, int count)
    {
        var after = await ProcessMemory.StableOf(broker.Process.Id);
        var each = (after.Resident - before.Resident) / 1e3 / count;
        Console.WriteLine($"{title}: {after}, {before} before: {each:N2} KB each");
    }

    /// <summary>Connects receivers that have credit and nothing to receive.</summary>
    private static async Task<AmqpConnection> ConnectAsync(BrokerUnderTest broker, int receivers)
    {
        var connection = await broker.ConnectAsync();
        for (var i = 0; i < receivers; i++)
        {
            var session = await connection.BeginSessionAsync(null, CancellationToken.None);
            await Receiving.StartAsync(broker, session, prefetch: 100, new Remaining(int.MaxValue));
        }
        return connection;
    }
}
