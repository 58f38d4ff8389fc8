using DroneDelivery.Lab.Predict;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Tests.Faults;

/// <summary>The same fault in the model and on real processes: what was held comes again, no message more or less.</summary>
[Collection(RealProcesses.Name)]
[Trait("tier", "slow")]
public sealed class ModelOfFaultsTests
{
    private const int Messages = 150, Prefetch = 60, Lot = 40;

    // Locks that end because Workflows stand still while somebody counts, on a machine that is busy.
    private const int Few = 8;

    private static readonly string[] Knobs =
    [
        "workflow.replicas=2", "workflow.maxConcurrentCalls=4", $"workflow.prefetchCount={Prefetch}", "workflow.failurePolicy=Abandon",
        "workflow.holdDuringOutage=off", "queue.lockDuration=10", "queue.maxDeliveryCount=10", "nodes.count=6",
    ];

    /// <summary>Workflows stand still while the broker is asked what they hold.</summary>
    [Fact]
    public async Task What_was_held_comes_again_when_the_broker_stood_still_for_longer_than_a_lock_and_when_a_Workflow_was_killed()
    {
        await using var running = await RunningApplication.StartAsync("azure-2020", Knobs);
        var workflows = Enumerable.Range(0, 2).Select(replica => running.Application[Service.Workflow, replica]).ToList();
        var broker = running.Application.Processes.Single(process => process.Name == "broker");

        var before = await StopAsync(running, workflows);
        await RunningApplication.SignalAsync(broker, "STOP");
        await SignalAsync(workflows, "CONT");
        await Task.Delay(TimeSpan.FromSeconds(12), Cancel);
        await RunningApplication.SignalAsync(broker, "CONT");
        AssertComesAgain(before.Locked, (await EmptyAsync(running)).Since(before), Few);

        before = await StopAsync(running, workflows);
        await RunningApplication.KillAsync(workflows[0]);
        var left = (await running.QueueWhenAsync(queue => queue.Links.Count == 1)).Links[0].Unsettled;
        await SignalAsync(workflows[1..], "CONT");
        AssertComesAgain(before.Locked - left, (await EmptyAsync(running)).Since(before), Few);
    }

    [Fact]
    public void In_the_model_what_was_held_comes_again_too()
    {
        var (atPause, paused) = Simulate("pause broker at 2s for 12s");
        AssertComesAgain(atPause.Locked, paused);
        Assert.InRange(atPause.Locked, 2 * (Prefetch - Lot), 2 * Prefetch);

        var (_, killed) = Simulate("kill workflow at 2s");
        AssertComesAgain(killed.ExpiredLocks, killed);
        Assert.InRange(killed.ExpiredLocks, Prefetch - Lot, Prefetch);
    }

    /// <returns>The queue when some messages of many are completed and no Workflow works any more.</returns>
    private static async Task<QueueCounters> StopAsync(RunningApplication running, IReadOnlyList<ChildProcess> workflows)
    {
        var completed = (await running.QueueAsync()).Completed;
        await QueuePreload.SendAsync(
            running.Plan.BrokerConnectionString, BrokerCounters.QueueName, Messages, instructionsLength: 0, due: default, Cancel);
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

    private static Task<QueueCounters> EmptyAsync(RunningApplication running) => running.QueueWhenAsync(queue => queue.Queued == 0);

    private static void AssertComesAgain(long held, QueueCounters since, int few = 0)
    {
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{held} were held; {since.ExpiredLocks} locks ended, {since.Redelivered} came again, {since.Completed} were completed.");
        Assert.InRange(held, 1, 2 * Prefetch);
        Assert.InRange(since.Redelivered, held, held + few);
        Assert.Equal((since.Redelivered, 0), (since.ExpiredLocks, since.DeadLettered));
    }

    /// <summary>The same messages and knobs, and hardly a user: the moment of the fault, which begins at 2 s, and the end.</summary>
    private static (QueueCounters AtFault, QueueCounters End) Simulate(string fault)
    {
        var knobs = KnobSet.Parse([.. Knobs, $"queue.messagesAtStart={Messages}", "load.maxUsers=1", "load.duration=1", "nodes.vCpu=2"])
            .With(KnobSet.Parse(["package.replicas=1", "dronescheduler.replicas=1", "delivery.replicas=1", "ingestion.replicas=1"]));
        var options = new RunOptions(1, knobs, null, "", new Ports(0), 1, Open: false) { Faults = [StageFault.Parse(fault)] };
        var stage = Stage.Load("5") with { Observe = new(300, UntilEmpty: true) };
        var setting = SimulatedSetting.Of(StagePlan.Of(stage, options)) with { WorkflowStartsAfterSeconds = 0 };
        var samples = Simulator.Run(setting).Samples;
        return (samples.First(sample => sample.At >= 2).Queue, samples[^1].Queue);
    }
}
