namespace DroneDelivery.Lab.Tests.Faults;

/// <summary>Processes of the services end in the middle of their work, again and again, and once all connections of the broker.</summary>
[Collection(SharedApplication.Name)]
[Trait("tier", "slow")]
public sealed class KillTests(FaultyApplication faulty)
{
    private const string Batch = "killed";

    private readonly Random _random = new(FaultyApplication.Seed);
    private readonly Dictionary<string, Task> _restarts = [];

    private RunningApplication Running => faulty.Running;

    [Fact]
    public async Task Whenever_processes_are_killed_each_accepted_request_has_one_end_and_nothing_is_left_over()
    {
        var before = await Running.QueueAsync();
        var orders = Orders.Start(Running, Batch, KindOf, TimeSpan.FromMilliseconds(20));
        for (var kills = 0; kills < FaultyApplication.Kills; kills++)
        {
            await Task.Delay(_random.Next(500), TestContext.Current.CancellationToken);
            await KillOneAsync();
            if (kills == FaultyApplication.Kills / 2)
                await DropConnectionsAsync();
        }
        await Task.WhenAll(_restarts.Values);
        await orders.StopAsync();
        await faulty.QuietAsync();

        var ends = await orders.EndsAsync();
        var redelivered = (await Running.QueueAsync()).Since(before).Redelivered;
        Tell(ends, redelivered);
        Assert.True(redelivered > 0, "no message had to be handled again: the faults hit nothing");
        Assert.InRange(ends.Values.Count(end => end.Stage == DeliveryStage.Failed), 0, ends.Count / 2);
        Assert.All(ends, end => Assert.True(IsEndOf(end.Key, end.Value), $"{end.Key} ended {end.Value.Stage}."));
        await new StoredParts(Running).AssertFitAsync(
            Batch, orders.OwnerId, ends.ToDictionary(end => end.Key.Id, end => end.Value.Stage));
    }

    private async Task KillOneAsync()
    {
        var replicas = Running.Plan.AllReplicas.ToList();
        var (service, replica) = replicas[_random.Next(replicas.Count)];
        var name = service.NameOf(replica);
        if (_restarts.TryGetValue(name, out var restart))
            await restart;
        await RunningApplication.KillAsync(Running.Application[service, replica]);
        _restarts[name] = Running.Application.RestartAsync(name, TestContext.Current.CancellationToken);
    }

    private async Task DropConnectionsAsync()
    {
        using var answer = await Running.Http.PostAsync(
            new Uri(Running.Plan.Broker, "$connections/drop"), null, TestContext.Current.CancellationToken);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
    }

    private static OrderKind KindOf(int number) => (number % 100) switch
    {
        7 => OrderKind.Refused,
        3 or 23 or 43 or 63 => OrderKind.Cancelled,
        13 or 33 or 53 or 73 => OrderKind.Rescheduled,
        _ => OrderKind.Delivered,
    };

    /// <summary>A message that met too many crashes fails, and its request with it: Failed is an end of every order.</summary>
    private static bool IsEndOf(Order order, DeliveryStatus status) => status.Stage switch
    {
        DeliveryStage.Failed => status.Failure is not null,
        DeliveryStage.Created => order.Kind != OrderKind.Refused,
        DeliveryStage.Rescheduled => order.Kind == OrderKind.Rescheduled,
        DeliveryStage.Cancelled => order.Kind == OrderKind.Cancelled,
        _ => false,
    };

    private static void Tell(IReadOnlyDictionary<Order, DeliveryStatus> ends, long redelivered)
    {
        var stages = ends.Values.GroupBy(status => status.Stage).OrderBy(stage => stage.Key);
        var counts = stages.Select(stage => $"{stage.Count()} {stage.Key}");
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{FaultyApplication.Kills} kills, {ends.Count} orders: {string.Join(", ", counts)}; {redelivered} messages came again.");
    }
}
