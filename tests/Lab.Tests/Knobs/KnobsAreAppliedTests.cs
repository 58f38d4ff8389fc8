namespace DroneDelivery.Lab.Tests.Knobs;

/// <summary>Each knob seen from outside: what the running processes do, not what they were told.</summary>
[Trait("tier", "slow")]
public sealed class KnobsAreAppliedTests
{
    [Fact]
    public async Task Replicas_calls_and_prefetch_reach_the_Workflows()
    {
        await using var running = await RunningApplication.StartAsync(
            "azure-2020",
            "workflow.replicas=2",
            "package.replicas=3",
            "workflow.maxConcurrentCalls=2",
            "workflow.prefetchCount=9"
        );
        // All at once, so that however slow the machine is there are more messages than the Workflows may hold.
        await QueuePreload.SendAsync(
            running.Plan.BrokerConnectionString,
            BrokerCounters.QueueName,
            count: 60,
            instructionsLength: 0,
            due: default,
            Cancel
        );
        var queue = await running.QueueWhenAsync(queue => queue.Completed >= 30);

        Assert.Equal(running.Plan.Replicas(Service.Workflow), queue.Links.Count);
        Assert.All(queue.Links, link => Assert.Equal(9, link.MaxUnsettled));
        for (var package = 0; package < running.Plan.Replicas(Service.Package); package++)
            Assert.True(await running.AnswersAsync(Service.Package, package) > 0, $"{package} was left out");
    }

    [Fact]
    public async Task More_back_ends_get_work_from_a_Workflow_that_goes_on()
    {
        await using var running = await RunningApplication.StartAsync("none", "package.replicas=1");
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
        // It looks for others once a second, and when that is depends on the machine.
        for (var (sent, package) = (0, 0); package < 3; sent += 10)
        {
            Assert.True(sent < 1000, $"{package} was left out");
            await running.SendAsync(count: 10, callers: 2);
            if (await running.AnswersAsync(Service.Package, package) > 0)
                package++;
        }

        Assert.Equal(workflow, running.Application[Service.Workflow, 0].Id);
    }
}
