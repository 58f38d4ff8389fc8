namespace DroneDelivery.Lab.Tests.Runs;

/// <summary>A stage on a manual clock, with a scripted queue and services.</summary>
public sealed class StageCountTests
{
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(250);

    [Fact]
    public async Task Counts_exclude_everything_before_the_load()
    {
        var target = new Scripted(
            time => QueueCounters.Zero with { Active = 5, DeadLetter = 2, Incoming = 100 + (long)time.TotalSeconds },
            time => 30 + (time.TotalSeconds >= 10 ? 4 : 0)
        );

        var measured = await PlayAsync("1", target);

        Assert.Contains(measured.Series.Samples, sample => sample.At is > 10 and < 50);
        Assert.Equal(7, measured.AtStart);
        Assert.Equal(4, measured.Errors);
        Assert.Equal(4, measured.Series.Last.OutOfMemory);
        Assert.Equal(Math.Floor(measured.Series.End), measured.Final.Incoming, 1.0);
    }

    [Theory]
    [InlineData("6", 0, 60)] // Until the queue is empty.
    [InlineData("6", 1, 120)]
    [InlineData("4", 0, 90)] // Long enough for the messages to be settled.
    public async Task Stage_is_observed_until_its_queue_is_empty_if_it_requires_it(
        string stage,
        int left,
        double seconds
    )
    {
        var target = new Scripted(_ => QueueCounters.Zero with { Active = left, Incoming = 1 });

        var measured = await PlayAsync(stage, target);

        Assert.InRange(measured.ObservedUntil!.Value, seconds - 0.5, seconds + 2);
        Assert.Equal(
            (left == 0, true),
            (measured.Told.HasFlag(Sources.Standstill), measured.Told.HasFlag(Sources.WholeStage))
        );
    }

    [Fact]
    public async Task Late_load_is_observed_as_long_as_any_other()
    {
        var target = new Scripted(_ => QueueCounters.Zero with { Active = 1, Incoming = 1 });
        var load = new NoLoad(target.Clock) { StartsAfter = TimeSpan.FromMinutes(2) };

        var measured = await PlayAsync("4", target, load);

        Assert.InRange(measured.ObservedUntil!.Value, 89.5, 92);
    }

    /// <summary>Workflow receives messages until it is stopped, which takes ten seconds.</summary>
    [Fact]
    public async Task Rate_after_the_load_ends_before_Workflow_stops()
    {
        const double PerSecond = 100;
        Scripted? target = null;
        target = new Scripted(time =>
            QueueCounters.Zero with
            {
                Outgoing = (long)(PerSecond * (target!.StoppedAt ?? time).TotalSeconds),
            }
        )
        {
            StopsWithin = TimeSpan.FromSeconds(10),
        };

        var measured = await PlayAsync("1", target);

        Assert.Equal(PerSecond, FigureTable.Of(measured)["outgoing.afterLoad"], 1.0);
        Assert.InRange(
            measured.Series.End,
            PlanOf("1").TotalSeconds + target.StopsWithin.TotalSeconds,
            double.MaxValue
        );
    }

    [Fact]
    public async Task Failed_fault_injection_stops_the_load()
    {
        var target = new Scripted(_ => QueueCounters.Zero);
        var load = new NoLoad(target.Clock);

        await Assert.ThrowsAsync<LabException>(() =>
            PlayAsync("1", target, load, _ => Task.FromException(new LabException("none")))
        );

        Assert.True(load.Left.IsCancellationRequested);
    }

    private static StagePlan PlanOf(string stage) => ComputedRun.PlanOf($"run {stage}").Played.Single();

    private static async Task<Measured> PlayAsync(
        string stage,
        Scripted target,
        NoLoad? load = null,
        Func<CancellationToken, Task>? faults = null
    )
    {
        var plan = PlanOf(stage);
        using var http = new HttpClient(target);
        load ??= new(target.Clock);
        var run = new StageRun(
            plan,
            target,
            load,
            new RunView(plan, 0, new(TextWriter.Null, isTerminal: false)),
            http,
            target.Clock
        )
        {
            Faults = faults ?? (_ => Task.CompletedTask),
        };

        return await target.Clock.AdvanceUntilAsync(run.ExecuteAsync(Cancel), IsWaiting);

        // One timer is the sampler's. The other one is the observation's, or Workflow's while it stops.
        bool IsWaiting() => target.Clock.PendingTimers == 2 + (load.IsRunning ? 1 : 0);
    }

    /// <param name="queue">Returns the broker's counters at a time since the start of the stage.</param>
    /// <param name="errors">Returns the number of HTTP 5xx responses since then, all because of a full cache.</param>
    private sealed class Scripted(Func<TimeSpan, QueueCounters> queue, Func<TimeSpan, long>? errors = null)
        : HttpMessageHandler,
            IStageTarget,
            IQueueCounts
    {
        private DateTimeOffset? _start;
        private bool _timedOut;

        public ManualTimeProvider Clock { get; } = new();

        public IQueueCounts Counts => this;

        public IReadOnlyList<Uri> Services { get; } = [new Uri("http://127.0.0.1:1/")];

        public Sources Told => Sources.Everything & ~(Sources.Standstill | Sources.WholeStage);

        public TimeSpan Period => Step;

        public Task<CrashException> Crashed { get; } = new TaskCompletionSource<CrashException>().Task;

        private TimeSpan Elapsed => Clock.GetUtcNow() - (_start ??= Clock.GetUtcNow());

        public NodeReading? ReadNodes() => null;

        public TimeSpan? ReadCpu() => null;

        public TimeSpan StopsWithin { get; init; }

        public TimeSpan? StoppedAt { get; private set; }

        public Task StopWorkAsync()
        {
            StoppedAt = Elapsed;
            return Task.Delay(StopsWithin, Clock, Cancel);
        }

        public Task<QueueReading> ReadAsync(CancellationToken cancellationToken)
        {
            if (_timedOut || Elapsed < TimeSpan.FromSeconds(5))
                return Task.FromResult(new QueueReading(Clock.GetUtcNow(), queue(Elapsed)));
            _timedOut = true;
            throw new TaskCanceledException("No answer in time.");
        }

        protected override Task<HttpResponseMessage> SendAsync(
            HttpRequestMessage request,
            CancellationToken cancellationToken
        )
        {
            var serverErrors = errors?.Invoke(Elapsed) ?? 0;
            var causes = new Dictionary<string, long> { ["urn:drone-delivery:redis-out-of-memory"] = serverErrors };
            return Task.FromResult(
                new HttpResponseMessage { Content = JsonContent.Create(new { serverErrors, causes }) }
            );
        }
    }
}
