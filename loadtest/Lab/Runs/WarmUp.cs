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
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20), PatienceForTheRest = TimeSpan.FromMinutes(2), Pause = TimeSpan.FromMilliseconds(100);

    /// <summary>So many that all code is compiled once, and not so many that it is compiled again: that would take far longer.</summary>
    private const int CallsPerBackend = 80, CallsAtATime = 4;

    /// <summary>A Workflow's calls, straight to each back end that was started.</summary>
    public Task BackendsAsync(IEnumerable<(Service Service, int Replica)> started, CancellationToken cancellationToken)
    {
        var calls = new BackendCalls(http);
        return Task.WhenAll(started.Where(it => Service.Backends.Contains(it.Service)).Select(it => CallAsync(calls, it.Service, it.Replica, cancellationToken)));
    }

    /// <summary>A few deliveries through every replica.</summary>
    /// <exception cref="LabException">Nobody works on them.</exception>
    public async Task DeliverAsync(CancellationToken cancellationToken)
    {
        if (application.Plan.Replicas(Service.Workflow) == 0)
            return;
        var count = DeliveriesPerReplica * Service.All.Max(application.Plan.Replicas);
        var journeys = new Journeys(http, clock, application.Plan.Urls(Service.Ingestion));
        await journeys.SendAsync(count, count, Patience, cancellationToken);
        for (var began = clock.GetTimestamp(); (await queue.ReadAsync(cancellationToken)).Queued is > 0 and var left; await Task.Delay(Pause, clock, cancellationToken))
        {
            if (clock.GetElapsedTime(began) > PatienceForTheRest)
                throw new LabException($"{left} messages are still in the queue {PatienceForTheRest.TotalMinutes} minutes after {count} deliveries were sent to warm up: Workflow does not finish them. Its log is in {application.Plan.Logs}");
        }
    }

    private async Task CallAsync(BackendCalls calls, Service backend, int replica, CancellationToken cancellationToken)
    {
        var options = new ParallelOptions { MaxDegreeOfParallelism = CallsAtATime, CancellationToken = cancellationToken };
        await Parallel.ForAsync(0, CallsPerBackend, options, async (call, token) =>
            await calls.PutAsync(backend, application.Plan.Url(backend, replica), $"warm-up-{replica}-{call}", token));
    }
}
