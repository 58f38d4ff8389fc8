using System.Globalization;

namespace DroneDelivery.Lab.Tests.Faults;

[Collection<PlainApplication>]
[Trait("tier", "slow")]
public sealed class KillTests(PlainApplication shared)
{
    /// <summary>The lock duration, in seconds, and the number of kills, from environment variables.</summary>
    private static readonly int Lock = Number("FAULTS_LOCK_SECONDS", 10),
        Kills = Number("FAULTS_KILLS", 8);

    private const int Calls = 5;

    private readonly Random _random = new(Number("FAULTS_SEED", 1));
    private readonly Dictionary<string, Task> _restarts = [];

    [Fact]
    public async Task Each_accepted_request_ends_in_one_state_despite_kills()
    {
        var running = await shared.WithAsync(
            "workflow.replicas=2",
            $"workflow.maxConcurrentCalls={Calls}",
            "workflow.prefetchCount=40",
            $"queue.lockDuration={Lock}",
            "workflow.retryDelay=0.1"
        );
        AssertNoFileWatchers(running);
        var before = await running.QueueAsync();
        var orders = new Orders(running);
        await running.QueueWhenAsync(queue => queue.Completed > before.Completed);
        await KillHoldingWorkflowsAsync(running);
        for (var kills = 0; kills < Kills; kills++)
        {
            var accepted = orders.Accepted + _random.Next(1, 20);
            await UntilAsync(() => orders.Accepted >= accepted);
            await KillOneAsync(running);
            if (kills == Kills / 2)
                await DropConnectionsAsync(running);
        }
        await Task.WhenAll(_restarts.Values);
        await orders.StopAsync();
        await running.QueueWhenAsync(
            queue => queue is { Queued: 0, DeadLetter: 0 },
            longer: TimeSpan.FromMinutes(2) + TimeSpan.FromSeconds(2 * Lock)
        );

        var ends = await orders.EndsAsync();
        var redelivered = (await running.QueueAsync()).Since(before).Redelivered;
        LogCounts(ends, redelivered);
        Assert.True(redelivered > 0, "No message was redelivered, so the kills had no effect.");
        Assert.Contains(ends.Values, end => end.Stage == DeliveryStage.Created);
        Assert.InRange(ends.Values.Count(end => end.Stage == DeliveryStage.Failed), 0, ends.Count / 2);
        Assert.All(ends, end => Assert.True(IsEndOf(end.Key, end.Value), $"{end.Key} ended {end.Value.Stage}."));
        await new StoredParts(running, Orders.Batch).AssertFitAsync(
            ends.ToDictionary(end => end.Key.Id, end => end.Value.Stage)
        );
    }

    private async Task KillOneAsync(RunningApplication running)
    {
        var replicas = running.Plan.AllReplicas.ToList();
        var (service, replica) = replicas[_random.Next(replicas.Count)];
        var name = service.NameOf(replica);
        if (_restarts.TryGetValue(name, out var restart))
            await restart;
        await KillAsync(running, service, replica);
    }

    private async Task KillAsync(RunningApplication running, Service service, int replica)
    {
        var name = service.NameOf(replica);
        await running.Application[service, replica].KillAsync();
        _restarts[name] = running.Application.RestartAsync(name, Cancel);
    }

    /// <summary>
    /// Kills both Workflow replicas while they hold messages. They are paused first, so that they can only have settled
    /// as many messages as they handle concurrently: the others are redelivered.
    /// </summary>
    private async Task KillHoldingWorkflowsAsync(RunningApplication running)
    {
        const int Replicas = 2;
        for (var replica = 0; replica < Replicas; replica++)
            await RunningApplication.SignalAsync(running.Application[Service.Workflow, replica], "STOP");
        await running.QueueWhenAsync(queue => queue.Links.Sum(link => link.Unsettled) > Replicas * Calls);
        for (var replica = 0; replica < Replicas; replica++)
            await KillAsync(running, Service.Workflow, replica);
    }

    private static async Task DropConnectionsAsync(RunningApplication running)
    {
        using var answer = await running.Http.PostAsync(
            new Uri(running.Plan.Broker, "$connections/drop"),
            null,
            Cancel
        );
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
    }

    /// <summary>After too many crashes, a message and its request fail, so every order may end as Failed.</summary>
    private static bool IsEndOf(Order order, DeliveryStatus status) =>
        status.Stage switch
        {
            DeliveryStage.Failed => status.Failure is not null,
            DeliveryStage.Created => order.Kind != OrderKind.Refused,
            DeliveryStage.Rescheduled => order.Kind == OrderKind.Rescheduled,
            DeliveryStage.Cancelled => order.Kind == OrderKind.Cancelled,
            _ => false,
        };

    private static void LogCounts(IReadOnlyDictionary<Order, DeliveryStatus> ends, long redelivered)
    {
        var stages = ends.Values.GroupBy(status => status.Stage).OrderBy(stage => stage.Key);
        var counts = stages.Select(stage => $"{stage.Count()} {stage.Key}");
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{Kills} kills, {ends.Count} orders: {string.Join(", ", counts)}; {redelivered} redeliveries."
        );
    }

    /// <summary>About 36 processes share a laptop. CPU for anything but their work distorts measurements.</summary>
    private static void AssertNoFileWatchers(RunningApplication running)
    {
        foreach (var (service, replica) in running.Plan.AllReplicas)
        {
            var open = new DirectoryInfo($"/proc/{running.Application[service, replica].Id}/fd");
            if (open.Exists) // This doesn't exist on macOS.
            {
                Assert.DoesNotContain(
                    "anon_inode:inotify",
                    open.EnumerateFileSystemInfos().Select(file => file.LinkTarget)
                );
            }
        }
    }

    private static int Number(string variable, int otherwise) =>
        Environment.GetEnvironmentVariable(variable) is { Length: > 0 } text
            ? int.Parse(text, CultureInfo.InvariantCulture)
            : otherwise;
}
