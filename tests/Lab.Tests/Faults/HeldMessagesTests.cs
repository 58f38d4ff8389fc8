using Azure.Messaging.ServiceBus;

namespace DroneDelivery.Lab.Tests.Faults;

/// <summary>
/// Messages held by a receiver are redelivered, and none is lost or handled twice. FaultsTests checks the same for the
/// model.
/// </summary>
[Collection<EmulatedApplication>]
[Trait("tier", "slow")]
public sealed class HeldMessagesTests(EmulatedApplication shared)
{
    private const int Messages = 60;

    private static readonly TimeSpan Lock = TimeSpan.FromSeconds(5);

    private static readonly string[] Knobs =
    [
        "workflow.replicas=2",
        "workflow.maxConcurrentCalls=4",
        "workflow.prefetchCount=20",
        "workflow.holdDuringOutage=off",
        $"queue.lockDuration={Lock.TotalSeconds}",
        "queue.maxDeliveryCount=10",
        "nodes.count=6",
    ];

    [Fact]
    public async Task Held_messages_are_redelivered_after_a_pause_of_the_broker()
    {
        var running = await shared.WithAsync(Knobs);
        var workflows = WorkflowsOf(running);
        var broker = running.Application.StoreOf("broker");
        var before = await running.QueueAsync();
        var held = await HoldAsync(running, workflows, "paused");

        await RunningApplication.SignalAsync(broker, "STOP");
        await SignalAsync(workflows, "CONT");
        // The broker's clock continues while the process is paused, so all locks have expired when it resumes.
        await Task.Delay(Lock + TimeSpan.FromSeconds(1), Cancel);
        await RunningApplication.SignalAsync(broker, "CONT");

        await AssertRedeliveredAsync(running, before, held.Sum(link => link.Unsettled), "paused");
    }

    [Fact]
    public async Task Held_messages_are_redelivered_when_a_Workflow_is_killed()
    {
        var running = await shared.WithAsync(Knobs);
        var workflows = WorkflowsOf(running);
        var before = await running.QueueAsync();
        var held = await HoldAsync(running, workflows, "stopped");

        await workflows[0].KillAsync();
        await running.QueueWhenAsync(queue => queue.Links.Count == 1);
        await SignalAsync(workflows[1..], "CONT");

        await AssertRedeliveredAsync(running, before, held.Min(link => link.Unsettled), "stopped");
    }

    private static List<ChildProcess> WorkflowsOf(RunningApplication running) =>
        [.. Enumerable.Range(0, 2).Select(replica => running.Application[Service.Workflow, replica])];

    /// <summary>Pauses the Workflow replicas and sends messages that they receive but can't settle.</summary>
    /// <returns>The links, each of which holds messages.</returns>
    private static async Task<IReadOnlyList<LinkCounters>> HoldAsync(
        RunningApplication running,
        List<ChildProcess> workflows,
        string batch
    )
    {
        await SignalAsync(workflows, "STOP");
        await using var client = new ServiceBusClient(running.Plan.BrokerConnectionString);
        await using var sender = client.CreateSender(BrokerCounters.QueueName);
        await sender.SendMessagesAsync(IdsOf(batch).Select(id => Message(id, batch)), Cancel);
        var holding = await running.QueueWhenAsync(queue =>
            queue.Links.Count == workflows.Count && queue.Links.All(link => link.Unsettled > 0)
        );
        return holding.Links;
    }

    private static async Task SignalAsync(IEnumerable<ChildProcess> processes, string signal)
    {
        foreach (var process in processes)
            await RunningApplication.SignalAsync(process, signal);
    }

    private static IEnumerable<string> IdsOf(string batch) => Enumerable.Range(0, Messages).Select(i => $"{batch}-{i}");

    private static ServiceBusMessage Message(string id, string batch)
    {
        var pickup = new DateTimeOffset(2030, 1, 15, 9, 0, 0, TimeSpan.Zero);
        var request = Orders.RequestOf(id, Orders.OwnerOf(batch), pickup, weight: 1.5);
        return new(JsonSerializer.SerializeToUtf8Bytes(request, ContractJson.Options))
        {
            MessageId = id,
            CorrelationId = id,
            ContentType = QueueMessage.ContentType,
            ApplicationProperties = { [QueueMessage.OperationProperty] = QueueMessage.Delivery },
        };
    }

    private static async Task AssertRedeliveredAsync(
        RunningApplication running,
        QueueCounters before,
        int held,
        string batch
    )
    {
        var since = (await running.QueueWhenAsync(queue => queue.Completed >= before.Completed + Messages)).Since(
            before
        );

        TestContext.Current.TestOutputHelper?.WriteLine($"{held} held, {since.Redelivered} redelivered.");
        Assert.Equal((Messages, 0, 0), (since.Completed, since.Queued, since.DeadLettered));
        Assert.True(since.Redelivered >= held, $"{held} messages were held, {since.Redelivered} redelivered.");
        Assert.Equal(since.ExpiredLocks, since.Redelivered);
        await new StoredParts(running, batch).AssertFitAsync(
            IdsOf(batch).ToDictionary(id => id, _ => DeliveryStage.Created)
        );
    }
}
