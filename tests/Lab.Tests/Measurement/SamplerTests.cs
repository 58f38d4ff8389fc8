namespace DroneDelivery.Lab.Tests.Measurement;

public sealed class SamplerTests
{
    /// <summary>The last reading of a stage starts while a periodic one may still be in progress.</summary>
    [Fact]
    public async Task Readings_do_not_overlap()
    {
        var counts = new Unanswered();
        using var http = new HttpClient();
        await using var sampler = new Sampler(http, counts, [], () => null, () => null, TimeProvider.System);

        var first = sampler.ReadAsync(Cancel);
        var second = sampler.ReadAsync(Cancel);

        Assert.Equal(1, counts.Calls);
        counts.Answer.SetResult(new QueueReading(DateTimeOffset.UnixEpoch, QueueCounters.Zero));
        await Task.WhenAll(first, second);
        Assert.Equal(2, counts.Calls);
    }

    private sealed class Unanswered : IQueueCounts
    {
        public Sources Told => Sources.Everything;

        public TimeSpan Period => TimeSpan.FromSeconds(1);

        public TaskCompletionSource<QueueReading> Answer { get; } = new();

        public int Calls { get; private set; }

        public Task<QueueReading> ReadAsync(CancellationToken cancellationToken)
        {
            Calls++;
            return Answer.Task;
        }
    }
}
