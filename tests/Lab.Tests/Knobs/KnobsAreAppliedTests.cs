using Azure.Messaging.ServiceBus;

namespace DroneDelivery.Lab.Tests.Knobs;

/// <summary>Each knob seen from outside: what the running processes do, not what they were told.</summary>
[Trait("tier", "slow")]
public sealed class KnobsAreAppliedTests
{
    [Fact]
    public async Task Lock_duration_and_MaxDeliveryCount_reach_the_queue()
    {
        await using var running = await RunningApplication.StartAsync(
            "none", "workflow.replicas=0", "queue.lockDuration=2", "queue.maxDeliveryCount=2");
        await running.PostAsync(1);
        await using var client = new ServiceBusClient(running.Plan.BrokerConnectionString);
        await using var receiver = client.CreateReceiver(BrokerCounters.QueueName);

        var first = await receiver.ReceiveMessageAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
        var second = await receiver.ReceiveMessageAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
        var queue = await running.QueueWhenAsync(queue => queue.DeadLetter == 1);

        Assert.Equal(first!.MessageId, second!.MessageId);
        Assert.Equal(2, second.DeliveryCount);
        // It comes again when its first lock ends, however late this test is; the default lock lasts 60 s.
        Assert.InRange((second.LockedUntil - first.LockedUntil).TotalSeconds, 1.9, 55);
        Assert.Equal((2, 2), (queue.Outgoing, queue.ExpiredLocks));
    }

    [Fact]
    public async Task Replicas_calls_and_prefetch_reach_the_Workflows()
    {
        await using var running = await RunningApplication.StartAsync(
            "azure-2020", "workflow.replicas=2", "package.replicas=3", "workflow.maxConcurrentCalls=2", "workflow.prefetchCount=9");
        await FillAsync(running, 60);
        await running.QueueWhenAsync(queue => queue.Completed >= 30);

        var links = (await running.GetAsync(running.Plan.Broker, "$counters"))
            .GetProperty("queues").GetProperty(BrokerCounters.QueueName).GetProperty("links");
        Assert.Equal([9, 9], links.EnumerateArray().Select(link => link.GetProperty("maxUnsettled").GetInt32()));
        foreach (var package in running.UrlsOf(Service.Package))
            Assert.True((await running.GetAsync(package, "$responses")).GetProperty("responses").GetInt32() > 0, $"{package} was left out");
    }

    [Fact]
    public async Task More_back_ends_get_work_from_a_Workflow_that_goes_on()
    {
        await using var running = await RunningApplication.StartAsync("none", "package.replicas=1");
        await running.SendAsync(count: 10, callers: 2);
        var workflow = running.Application[Service.Workflow, 0].Id;

        await running.Application.ApplyAsync(
            running.Plan with { Knobs = KnobSet.Parse(["package.replicas=3"]).Consistent() },
            new Progress<(int, int)>(),
            TestContext.Current.CancellationToken);
        // It looks for others once a second, and when that is depends on the machine.
        for (var sent = 0; await LeftOutAsync() is { } package; sent += 10)
        {
            Assert.True(sent < 1000, $"{package} was left out");
            await running.SendAsync(count: 10, callers: 2);
        }

        Assert.Equal(workflow, running.Application[Service.Workflow, 0].Id);

        async Task<Uri?> LeftOutAsync()
        {
            foreach (var package in running.UrlsOf(Service.Package))
            {
                if ((await running.GetAsync(package, "$responses")).GetProperty("responses").GetInt32() == 0)
                    return package;
            }
            return null;
        }
    }

    [Fact]
    public async Task Calls_without_prefetch_bound_what_a_Workflow_holds()
    {
        await using var running = await RunningApplication.StartAsync(
            "azure-2020", "workflow.maxConcurrentCalls=3", "workflow.prefetchCount=0");
        await FillAsync(running, 30);
        await running.QueueWhenAsync(queue => queue.Completed >= 15);

        var links = (await running.GetAsync(running.Plan.Broker, "$counters"))
            .GetProperty("queues").GetProperty(BrokerCounters.QueueName).GetProperty("links");
        Assert.Equal([3], links.EnumerateArray().Select(link => link.GetProperty("maxUnsettled").GetInt32()));
    }

    [Fact]
    public async Task Redis_memory_retries_and_failure_policy_decide_what_becomes_of_a_full_cache()
    {
        // An empty Redis takes more than 256 KiB, so every write of Delivery is refused.
        await using var running = await RunningApplication.StartAsync(
            "none", "redis.maxMemory=256kb", "http.retryDelays=0,100ms", "http.retryJitter=0",
            "workflow.failurePolicy=DeadLetter", "workflow.holdDuringOutage=off", "workflow.supervisor=off", "http.breakerFailureRatio=0");
        Assert.Equal(256 * 1024, (await RedisServer.ReadAsync(running.Plan.RedisConnectionString)).MaxMemory);
        await running.PostAsync(5);

        var queue = await running.QueueWhenAsync(queue => queue.DeadLetter == 5);

        Assert.Equal((5, 0), (queue.Outgoing, queue.Completed));
        // One attempt and two retries for each message.
        Assert.Equal(15, await running.AnswersAsync(Service.Delivery, 0, "serverErrors", atLeast: 15));
        Assert.Equal(15, await running.AnswersAsync(Service.Delivery, 0));
    }

    /// <summary>All at once, so that however slow the machine is there are more messages than the Workflows may hold.</summary>
    private static Task FillAsync(RunningApplication running, int messages) => QueuePreload.SendAsync(
        running.Plan.BrokerConnectionString,
        BrokerCounters.QueueName,
        messages,
        instructionsLength: 0,
        due: default,
        TestContext.Current.CancellationToken);
}
