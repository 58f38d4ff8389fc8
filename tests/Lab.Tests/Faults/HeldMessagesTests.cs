namespace DroneDelivery.Lab.Tests.Faults;

/// <summary>What was held comes again, no message more or less; FaultsTests hold the same of the model.</summary>
[Collection(RealProcesses.Name)]
[Trait("tier", "slow")]
public sealed class HeldMessagesTests
{
    private const int Messages = 150,
        Prefetch = 60;

    // Locks that end because Workflows stand still while somebody counts, on a machine that is busy.
    private const int Few = 8;

    private static readonly string[] Knobs =
    [
        "workflow.replicas=2",
        "workflow.maxConcurrentCalls=4",
        $"workflow.prefetchCount={Prefetch}",
        "workflow.failurePolicy=Abandon",
        "workflow.holdDuringOutage=off",
        "queue.lockDuration=10",
        "queue.maxDeliveryCount=10",
        "nodes.count=6",
    ];

    [Fact]
    public async Task What_was_held_comes_again_when_the_broker_stood_still_for_longer_than_a_lock_and_when_a_Workflow_was_killed()
    {
        await using var running = await RunningApplication.StartAsync("azure-2020", Knobs);
        var workflows = Enumerable
            .Range(0, 2)
            .Select(replica => running.Application[Service.Workflow, replica])
            .ToList();
        var broker = running.Application.Processes.Single(process => process.Name == "broker");

        var before = await StopAsync(running, workflows);
        await RunningApplication.SignalAsync(broker, "STOP");
        await SignalAsync(workflows, "CONT");
        await Task.Delay(TimeSpan.FromSeconds(12), Cancel);
        await RunningApplication.SignalAsync(broker, "CONT");
        AssertComesAgain(before.Locked, (await EmptyAsync(running)).Since(before));

        before = await StopAsync(running, workflows);
        await RunningApplication.KillAsync(workflows[0]);
        var left = (await running.QueueWhenAsync(queue => queue.Links.Count == 1)).Links[0].Unsettled;
        await SignalAsync(workflows[1..], "CONT");
        AssertComesAgain(before.Locked - left, (await EmptyAsync(running)).Since(before));
    }

    /// <returns>The queue when some messages of many are completed and no Workflow works any more.</returns>
    private static async Task<QueueCounters> StopAsync(
        RunningApplication running,
        IReadOnlyList<ChildProcess> workflows
    )
    {
        var completed = (await running.QueueAsync()).Completed;
        await QueuePreload.SendAsync(
            running.Plan.BrokerConnectionString,
            BrokerCounters.QueueName,
            Messages,
            instructionsLength: 0,
            due: default,
            Cancel
        );
        await running.QueueWhenAsync(queue => queue.Completed >= completed + 20);
        await SignalAsync(workflows, "STOP");
        QueueCounters? last = null;
        return await running.QueueWhenAsync(queue =>
        {
            var isQuiet = last?.Completed == queue.Completed && last.Outgoing == queue.Outgoing;
            last = queue;
            return isQuiet;
        });
    }

    private static async Task SignalAsync(IEnumerable<ChildProcess> processes, string signal)
    {
        foreach (var process in processes)
            await RunningApplication.SignalAsync(process, signal);
    }

    private static Task<QueueCounters> EmptyAsync(RunningApplication running) =>
        running.QueueWhenAsync(queue => queue.Queued == 0);

    private static void AssertComesAgain(long held, QueueCounters since)
    {
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{held} were held; {since.ExpiredLocks} locks ended, {since.Redelivered} came again, {since.Completed} were completed."
        );
        Assert.InRange(held, 1, 2 * Prefetch);
        Assert.InRange(since.Redelivered, held, held + Few);
        Assert.Equal((since.Redelivered, 0), (since.ExpiredLocks, since.DeadLettered));
    }
}
