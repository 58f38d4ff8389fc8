using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Run;

/// <summary>Runs a stage on a prepared application: load, observation, stop, count.</summary>
internal sealed class StageRun(
    StagePlan plan,
    IStageTarget target,
    ILoadDriver driver,
    RunView view,
    HttpClient http,
    TimeProvider clock
)
{
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(500);
    private DateTimeOffset _startedAt;
    private Reading? _baseline;

    public Func<CancellationToken, Task> Faults { get; init; } = _ => Task.CompletedTask;

    public Series SoFar => new(_baseline is null ? [] : Sampler.Since(_startedAt, _baseline, Readings));

    public IReadOnlyList<Reading> Readings { get; private set; } = [];

    public async Task<Measured> ExecuteAsync(CancellationToken cancellationToken)
    {
        await using var sampler = new Sampler(http, target.Counts, target.Services, target.ReadNodes, ReadCpu, clock)
        {
            ToleratesOutages = plan.Options.Faults.Count > 0,
        };
        sampler.Start();
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var play = ExecuteAsync(sampler, ended.Token);
        try
        {
            await target.Crashed.EndsAsync(play, ended);
            return await play;
        }
        finally
        {
            Readings = sampler.Readings;
        }
    }

    private async Task<Measured> ExecuteAsync(Sampler sampler, CancellationToken cancellationToken)
    {
        var baseline = _baseline = await sampler.ReadAsync(cancellationToken);
        var load = await LoadAndObserveAsync(sampler, cancellationToken);
        var observedUntil = sampler.Readings[^1].Time;
        await target.StopWorkAsync();
        var final = await sampler.ReadAsync(cancellationToken);
        return new(
            new Series(Sampler.Since(load.StartedAt, baseline, sampler.Readings)),
            plan.Profile,
            plan.BinSeconds,
            load,
            final.Queue.Since(baseline.Queue),
            AtStart: baseline.Queue.Queued + baseline.Queue.DeadLetter,
            final.Errors - baseline.Errors,
            plan.HeldAtMost
        )
        {
            ObservedUntil = (observedUntil - load.StartedAt).TotalSeconds,
            Told = target.Told | Sources.WholeStage | (final.Queue.Queued == 0 ? Sources.Standstill : Sources.None),
        };
    }

    private async Task<LoadResult> LoadAndObserveAsync(Sampler sampler, CancellationToken cancellationToken)
    {
        _startedAt = clock.GetUtcNow();
        var start = clock.GetTimestamp();
        using var over = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var faults = Task.CompletedTask;
        var load = driver.RunAsync(LoadPlan.Of(plan), Begin, over.Token);
        try
        {
            while (!load.IsCompleted || await SecondsSinceStartAsync() < plan.TotalSeconds)
            {
                view.Show(clock.GetElapsedTime(start).TotalSeconds, sampler.Readings);
                var isEmpty = plan.Stage.Observe.UntilEmpty && sampler.Readings[^1].Queue.Queued == 0;
                if (load.IsCompleted && (isEmpty || !load.IsCompletedSuccessfully))
                    break;
                if (faults.IsFaulted)
                    break;
                await Task.Delay(Tick, clock, cancellationToken);
            }
        }
        finally
        {
            await over.CancelAsync();
            await Task.WhenAll(faults, load); // also after Ctrl-C, so that nothing stays suspended
        }

        return await load;

        // A generator in a cluster starts its load long after its script.
        async ValueTask<double> SecondsSinceStartAsync() =>
            load.IsCompletedSuccessfully
                ? (clock.GetUtcNow() - (await load).StartedAt).TotalSeconds
                : clock.GetElapsedTime(start).TotalSeconds;

        void Begin()
        {
            (start, _startedAt) = (clock.GetTimestamp(), clock.GetUtcNow());
            faults = Faults(over.Token);
        }
    }

    private CpuTimes? ReadCpu() =>
        target.ReadCpu() is { } application ? new(application, Environment.CpuUsage.TotalTime + driver.Cpu) : null;
}
