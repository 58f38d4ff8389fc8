namespace DroneDelivery.Lab.Tests.Knobs;

/// <summary>Each setting seen from outside: the behavior of the running processes, not their configuration.</summary>
[Collection<EmulatedApplication>]
[Trait("tier", "slow")]
public sealed class KnobsAreAppliedTests(EmulatedApplication shared)
{
    [Fact]
    public async Task Replicas_calls_and_prefetch_apply_to_Workflow()
    {
        var running = await shared.WithAsync(
            "workflow.replicas=2",
            "package.replicas=3",
            "workflow.maxConcurrentCalls=2",
            "workflow.prefetchCount=9"
        );
        var before = await running.QueueAsync();
        var answers = await AnswersOfPackagesAsync(running);
        // Sent together, so that a slow machine also has more messages than Workflow may hold.
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
            Assert.True(count > answers[package], $"No request had package {package}.");
    }

    [Fact]
    public async Task Running_Workflow_uses_added_back_ends()
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
        // Workflow polls for replicas once a second, so the moment depends on the machine.
        for (var (sent, package) = (0, 0); package < 3; sent += 10)
        {
            Assert.True(sent < 1000, $"No request had package {package}.");
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
