using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Simulations;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Simulation;

namespace DroneDelivery.Lab.Tests.Faults;

/// <summary>The same fault in the model and on real processes: as many messages come again.</summary>
[Collection(RealProcesses.Name)]
public sealed class ModelOfFaultsTests
{
    private const int Messages = 300, Prefetch = 60;

    // Credit comes back in lots of two thirds, so a receiver holds between a third and all of its prefetch count.
    private const int Lot = 40;

    private static readonly string[] Knobs =
    [
        "workflow.replicas=2", "workflow.maxConcurrentCalls=4", $"workflow.prefetchCount={Prefetch}", "workflow.failurePolicy=Abandon",
        "workflow.holdDuringOutage=off", "queue.lockDuration=10", "queue.maxDeliveryCount=10", "nodes.count=6",
    ];

    [Fact]
    public async Task What_a_killed_Workflow_held_comes_again_when_its_locks_end()
    {
        await using var running = await RunningApplication.StartAsync("azure-2020", Knobs);
        await FillAsync(running);
        await running.QueueWhenAsync(queue => queue.Completed >= 60);
        await RunningApplication.KillAsync(running.Application[Service.Workflow, 0]);
        var lab = await running.QueueWhenAsync(queue => queue.Completed == Messages);

        var model = Simulate("kill workflow at 2s");
        AssertAlike(model, lab, Lot);
    }

    [Fact]
    public async Task What_both_Workflows_held_comes_again_when_the_broker_stood_still_for_longer_than_a_lock()
    {
        await using var running = await RunningApplication.StartAsync("azure-2020", Knobs);
        var broker = running.Application.Processes.Single(process => process.Name == "broker");
        await FillAsync(running);
        await running.QueueWhenAsync(queue => queue.Completed >= 60);
        await RunningApplication.SignalAsync(broker, "STOP");
        await Task.Delay(TimeSpan.FromSeconds(12), TestContext.Current.CancellationToken);
        await RunningApplication.SignalAsync(broker, "CONT");
        var lab = await running.QueueWhenAsync(queue => queue.Completed == Messages);

        var model = Simulate("pause broker at 2s for 12s");
        AssertAlike(model, lab, 2 * Lot);
    }

    private static Task FillAsync(RunningApplication running) => QueuePreload.SendAsync(
        running.Plan.BrokerConnectionString, BrokerCounters.QueueName, Messages, TestContext.Current.CancellationToken);

    private static void AssertAlike(Moment model, QueueCounters lab, int tolerance)
    {
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"model: {model.Redelivered} came again, {model.ExpiredLocks} locks ended, {model.Completed} completed; "
            + $"lab: {lab.Redelivered}, {lab.ExpiredLocks}, {lab.Completed}");
        Assert.InRange(lab.Redelivered, Math.Max(1, model.Redelivered - tolerance), model.Redelivered + tolerance);
        Assert.Equal((Messages, 0), (lab.Completed, lab.DeadLetter));
        Assert.InRange(model.Completed, Messages, Messages + 10);
        Assert.Equal(0, model.DeadLettered);
    }

    /// <summary>The same messages and knobs, and hardly a user.</summary>
    private static Moment Simulate(string fault)
    {
        var knobs = KnobSet.Parse([.. Knobs, $"queue.messagesAtStart={Messages}", "load.maxUsers=1", "load.duration=1", "nodes.vCpu=2"])
            .With(KnobSet.Parse(["package.replicas=1", "dronescheduler.replicas=1", "delivery.replicas=1", "ingestion.replicas=1"]));
        var options = new RunOptions(1, knobs, null, "", new Ports(0), 1, Open: false) { Faults = [SimulatedFault.Parse(fault)] };
        var stage = Stage.Load("5") with { Observe = new(300, UntilEmpty: true) };
        var setting = SimulatedSetting.Of(StagePlan.Of(stage, options)) with { WorkflowStartsAfterSeconds = 0 };
        return Simulator.Run(setting).Moments[^1];
    }
}
