namespace DroneDelivery.Lab.Tests.Knobs;

/// <summary>Each knob seen from outside: what the running processes do, not what they were told.</summary>
[Collection<EmulatedApplication>]
[Trait("tier", "slow")]
public sealed class KnobsAreAppliedTests(EmulatedApplication shared)
{
    [Fact]
    public async Task Replicas_calls_and_prefetch_reach_the_Workflows()
    {
        var running = await shared.WithAsync(
            "workflow.replicas=2",
            "package.replicas=3",
            "workflow.maxConcurrentCalls=2",
            "workflow.prefetchCount=9"
        );
        var before = await running.QueueAsync();
        var answers = await AnswersOfPackagesAsync(running);
        // All at once, so that however slow the machine is there are more messages than the Workflows may hold.
        await QueuePreload.SendAsync(
            running.Plan.BrokerConnectionString,
            BrokerCounters.QueueName,
            count: 60,
            instructionsLength: 0,
            due: default,
            Cancel
        );
        var queue = await running.QueueWhenAsync(queue => queue.Completed >= before.Completed + 30);

        Assert.Equal(running.Plan.Replicas(Service.Workflow), queue.Links.Count);
        Assert.All(queue.Links, link => Assert.Equal(9, link.MaxUnsettled));
        foreach (var (package, count) in (await AnswersOfPackagesAsync(running)).Index())
            Assert.True(count > answers[package], $"{package} was left out");
    }

    [Fact]
    public async Task More_back_ends_get_work_from_a_Workflow_that_goes_on()
    {
        var running = await shared.WithAsync("package.replicas=1");
        await running.SendAsync(count: 10, callers: 2);
        var workflow = running.Application[Service.Workflow, 0].Id;

        await running.Application.ApplyAsync(
            running.Plan with
            {
                Knobs = KnobSet.Parse(["package.replicas=3"]).Consistent(),
            },
            new Progress<(int, int)>(),
            Cancel
        );
        var answers = await AnswersOfPackagesAsync(running);
        // It looks for others once a second, and when that is depends on the machine.
        for (var (sent, package) = (0, 0); package < 3; sent += 10)
        {
            Assert.True(sent < 1000, $"{package} was left out");
            await running.SendAsync(count: 10, callers: 2);
            if (await running.AnswersAsync(Service.Package, package) > answers[package])
                package++;
        }

        Assert.Equal(workflow, running.Application[Service.Workflow, 0].Id);
    }

    private static Task<int[]> AnswersOfPackagesAsync(RunningApplication running) =>
        Task.WhenAll(
            Enumerable
                .Range(0, running.Plan.Replicas(Service.Package))
                .Select(replica => running.AnswersAsync(Service.Package, replica))
        );
}
