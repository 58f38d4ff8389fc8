using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Runs;

/// <summary>
/// Work for the replicas before the load comes, so that a stage does not measure how long .NET takes to compile their code: in a cluster
/// they had run for hours.
/// </summary>
internal sealed class WarmUp(Application application, QueueControl queue, HttpClient http, TimeProvider clock)
{
    private const int DeliveriesPerReplica = 5;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20), Pause = TimeSpan.FromMilliseconds(100);

    /// <summary>The runtime counts calls only of what it compiled before a pause of 100 ms, and compiles it again after some dozen more.</summary>
    private const int Rounds = 2, CallsPerRound = 40, CallsAtATime = 4;
    private static readonly TimeSpan RuntimesPause = TimeSpan.FromMilliseconds(250);

    /// <summary>A Workflow's calls, straight to each back end that was started.</summary>
    public Task BackendsAsync(IEnumerable<(Service Service, int Replica)> started, CancellationToken cancellationToken)
    {
        var calls = new BackendCalls(http);
        return Task.WhenAll(started.Where(it => Service.Backends.Contains(it.Service)).Select(it => CallAsync(calls, it.Service, it.Replica, cancellationToken)));
    }

    /// <summary>A few deliveries through every replica.</summary>
    public async Task DeliverAsync(CancellationToken cancellationToken)
    {
        if (application.Plan.Replicas(Service.Workflow) == 0)
            return;
        var count = DeliveriesPerReplica * Service.All.Max(application.Plan.Replicas);
        var journeys = new Journeys(http, clock, application.Plan.Urls(Service.Ingestion), application.Plan.Urls(Service.Delivery));
        await journeys.SendAsync(count, count, Patience, cancellationToken);
        while ((await queue.ReadAsync(cancellationToken)).Queued > 0)
            await Task.Delay(Pause, clock, cancellationToken);
    }

    private async Task CallAsync(BackendCalls calls, Service backend, int replica, CancellationToken cancellationToken)
    {
        var options = new ParallelOptions { MaxDegreeOfParallelism = CallsAtATime, CancellationToken = cancellationToken };
        for (var round = 0; round < Rounds; round++)
        {
            await Parallel.ForAsync(0, CallsPerRound, options, async (call, token) =>
                await calls.PutAsync(backend, application.Plan.Url(backend, replica), $"warm-up-{replica}-{round}-{call}", token));
            await Task.Delay(RuntimesPause, clock, cancellationToken);
        }
    }
}
