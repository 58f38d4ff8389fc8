using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Runs;

/// <summary>Plays one stage on an application that is ready for it: load, observation, stop, count.</summary>
internal sealed class StageRun(StagePlan plan, Application application, QueueControl queue, ILoadDriver driver, RunView view, HttpClient http, TimeProvider clock)
{
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(500);
    private DateTimeOffset _startedAt;
    private Reading? _baseline;
    private IReadOnlyList<Reading> _readings = [];

    /// <summary>What was measured until the stage was broken off.</summary>
    public Series SoFar => new(_baseline is null ? [] : Sampler.Since(_startedAt, _baseline, _readings));

    /// <exception cref="LabException">A process of the application or the driver ended by itself.</exception>
    public async Task<Measured> PlayAsync(CancellationToken cancellationToken)
    {
        await using var sampler = Sampler.Start(http, application.Plan.Broker, ServicesWithApi(), () => application.Nodes?.Read(), clock);
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var play = PlayAsync(sampler, ended.Token);
        try
        {
            if (await Task.WhenAny(play, application.Crashed) == play)
                return await play;
            await ended.CancelAsync();
            await ((Task)play).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            throw await application.Crashed;
        }
        finally
        {
            _readings = sampler.Readings;
        }
    }

    private async Task<Measured> PlayAsync(Sampler sampler, CancellationToken cancellationToken)
    {
        var baseline = _baseline = await sampler.ReadAsync(cancellationToken);
        var load = await LoadAndObserveAsync(sampler, cancellationToken);
        // Nothing must be on its way between two states while it is counted.
        await application.StopAsync(Service.Workflow);
        var final = await sampler.ReadAsync(cancellationToken);
        return new(
            new Series(Sampler.Since(load.StartedAt, baseline, sampler.Readings)), plan.Profile, plan.BinSeconds, load,
            final.Queue.Since(baseline.Queue), AtStart: baseline.Queue.Queued + baseline.Queue.DeadLetter, final.Errors - baseline.Errors,
            (int)plan.Knobs.Number("workflow.prefetchCount", 0));
    }

    private async Task<LoadResult> LoadAndObserveAsync(Sampler sampler, CancellationToken cancellationToken)
    {
        _startedAt = clock.GetUtcNow();
        var start = clock.GetTimestamp();
        var isOpen = plan.MessagesAtStart == 0;
        var load = driver.RunAsync(plan.Load, () => (start, _startedAt) = (clock.GetTimestamp(), clock.GetUtcNow()), cancellationToken);
        while (!load.IsCompleted || clock.GetElapsedTime(start).TotalSeconds < plan.TotalSeconds)
        {
            if (!isOpen && sampler.Readings[^1].Queue.Incoming > _baseline!.Queue.Incoming)
            {
                await queue.UpdateAsync(plan.Knobs, gives: true, cancellationToken);
                isOpen = true;
            }

            view.Show(clock.GetElapsedTime(start).TotalSeconds, sampler.Readings);
            var isEmpty = plan.Stage.Observe.UntilEmpty && sampler.Readings[^1].Queue.Queued == 0;
            if (load.IsCompleted && (isEmpty || !load.IsCompletedSuccessfully))
                break;
            await Task.Delay(Tick, clock, cancellationToken);
        }

        return await load;
    }

    private List<Uri> ServicesWithApi() => [.. Service.All.Where(service => service != Service.Workflow).SelectMany(application.Plan.Urls)];
}
