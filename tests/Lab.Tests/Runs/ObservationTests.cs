using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Nodes;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Testing;

namespace DroneDelivery.Lab.Tests.Runs;

/// <summary>A stage on a clock of our own.</summary>
public sealed class ObservationTests
{
    private const double OutgoingPerSecond = 100;

    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(250), StopsWithin = TimeSpan.FromSeconds(10);

    [Fact]
    public async Task A_rate_after_the_load_ends_before_Workflow_is_stopped()
    {
        var clock = new ManualTimeProvider();
        var plan = RunPlan.Of(["1"], new(RunOptions.Quick, KnobSet.Empty, null, "", new Ports(0), 1, false)).Played.Single();
        using var http = new HttpClient();
        var run = new StageRun(
            plan, new SlowToStop(clock), new NoLoad(clock), new RunView(plan, 0, new(TextWriter.Null, isTerminal: false)), http, clock);

        var playing = run.PlayAsync(TestContext.Current.CancellationToken);
        while (!playing.IsCompleted)
        {
            clock.Advance(Step);
            await Task.Yield();
        }

        var measured = await playing;
        Assert.Equal(OutgoingPerSecond, FigureTable.Of(measured)["outgoing.afterLoad"], 1.0);
        Assert.InRange(measured.Series.End, plan.TotalSeconds + StopsWithin.TotalSeconds, double.MaxValue);
    }

    /// <summary>Hands messages out at a constant rate until it is told to stop.</summary>
    private sealed class SlowToStop(TimeProvider clock) : IStageTarget, IQueueCounts
    {
        private readonly DateTimeOffset _start = clock.GetUtcNow();
        private DateTimeOffset? _stopped;

        public IQueueCounts Counts => this;

        public IReadOnlyList<Uri> Services => [];

        public Sources Told => Sources.Everything;

        public TimeSpan Period => Step;

        public Task<CrashException> Crashed { get; } = new TaskCompletionSource<CrashException>().Task;

        public NodeReading? ReadNodes() => null;

        public TimeSpan? ReadCpu() => null;

        public Task OpenAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopWorkAsync()
        {
            _stopped = clock.GetUtcNow();
            return Task.Delay(StopsWithin, clock, TestContext.Current.CancellationToken);
        }

        public Task<QueueReading> ReadAsync(CancellationToken cancellationToken)
        {
            var now = clock.GetUtcNow();
            var worked = (_stopped ?? now) - _start;
            return Task.FromResult(
                new QueueReading(now, QueueCounters.Zero with { Outgoing = (long)(worked.TotalSeconds * OutgoingPerSecond) }));
        }
    }
}
