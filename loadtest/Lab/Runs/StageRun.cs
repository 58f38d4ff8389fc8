using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Runs;

/// <summary>Plays one stage on a running application: warm-up, load, observation, stop, count.</summary>
internal sealed class StageRun(RunPlan plan, Application application, ILoadDriver driver, RunView view, TimeProvider clock)
{
    private const int WarmUpsPerReplica = 5;
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(500), WarmUpPatience = TimeSpan.FromSeconds(20);

    /// <exception cref="LabException">A process of the application or the driver ended by itself.</exception>
    public async Task<Measured> PlayAsync(CancellationToken cancellationToken)
    {
        using var http = Loopback.CreateClient();
        await WarmUpAsync(http, cancellationToken);
        await using var sampler = Sampler.Start(http, application.Plan.Broker, ServicesWithApi(), clock);
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var play = LoadAndObserveAsync(sampler, ended.Token);
        if (await Task.WhenAny(play, application.Crashed) != play)
        {
            await ended.CancelAsync();
            await ((Task)play).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            throw await application.Crashed;
        }

        var (baseline, load) = await play;
        // Nothing must be on its way between two states while it is counted.
        await application.StopAsync(Service.Workflow);
        var final = await sampler.ReadAsync(cancellationToken);
        return new(
            new Series(Sampler.Since(load.StartedAt, baseline, sampler.Readings)), plan.Profile, plan.BinSeconds, load,
            final.Queue.Since(baseline.Queue), AtStart: baseline.Queue.Queued + baseline.Queue.DeadLetter, final.Errors - baseline.Errors);
    }

    /// <summary>A few deliveries through every replica, so that the stage does not measure how long .NET takes to compile its code; then the cache is emptied.</summary>
    private async Task WarmUpAsync(HttpClient http, CancellationToken cancellationToken)
    {
        if (application.Plan.Replicas(Service.Workflow) == 0)
            return;
        var count = WarmUpsPerReplica * Service.All.Max(application.Plan.Replicas);
        var journeys = new Journeys(http, clock, UrlsOf(Service.Ingestion), UrlsOf(Service.Delivery));
        await journeys.SendAsync(count, count, WarmUpPatience, cancellationToken);
        await RedisServer.ClearAsync(application.Plan.RedisConnectionString);
    }

    private async Task<(Reading Baseline, LoadResult Load)> LoadAndObserveAsync(Sampler sampler, CancellationToken cancellationToken)
    {
        var baseline = await sampler.ReadAsync(cancellationToken);
        var start = clock.GetTimestamp();
        var load = driver.RunAsync(plan.Load, () => start = clock.GetTimestamp(), cancellationToken);
        while (!load.IsCompleted || clock.GetElapsedTime(start).TotalSeconds < plan.TotalSeconds)
        {
            var seconds = clock.GetElapsedTime(start).TotalSeconds;
            view.Show(seconds, sampler.Readings);
            var isEmpty = plan.Stage.Observe.UntilEmpty && sampler.Readings[^1].Queue.Queued == 0;
            if (load.IsCompleted && (isEmpty || !load.IsCompletedSuccessfully))
                break;
            await Task.Delay(Tick, clock, cancellationToken);
        }

        return (baseline, await load);
    }

    private List<Uri> ServicesWithApi() => [.. Service.All.Where(service => service != Service.Workflow).SelectMany(UrlsOf)];

    private List<Uri> UrlsOf(Service service) => [.. Enumerable.Range(0, application.Plan.Replicas(service)).Select(replica => application.Plan.Url(service, replica))];
}
