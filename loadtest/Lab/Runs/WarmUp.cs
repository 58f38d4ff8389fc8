using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measurement;
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
        var count = (await SendAsync(Patience, cancellationToken)).Count;
        for (var began = clock.GetTimestamp(); (await queue.ReadAsync(cancellationToken)).Queued is > 0 and var left; await Task.Delay(Pause, clock, cancellationToken))
        {
            if (clock.GetElapsedTime(began) > PatienceForTheRest)
                throw new LabException($"{left} messages are still in the queue {PatienceForTheRest.TotalMinutes} minutes after {count} deliveries were sent to warm up: Workflow does not finish them. Its log is in {application.Plan.Logs}");
        }
    }

    /// <summary>
    /// The same for somebody who uses the application next: what was stored and assigned is taken back. Packages stay: none of them is listed
    /// or counted anywhere.
    /// </summary>
    /// <returns>The queue's counters from which that person's own are counted.</returns>
    public async Task<QueueCounters> LeaveNoTraceAsync(CancellationToken cancellationToken)
    {
        if (Service.All.Any(service => application.Plan.Replicas(service) == 0))
            return await queue.ReadAsync(cancellationToken);
        var journeys = await SendAsync(Patience, cancellationToken);
        for (var began = clock.GetTimestamp(); clock.GetElapsedTime(began) < Patience; await Task.Delay(Pause, clock, cancellationToken))
        {
            if ((await queue.ReadAsync(cancellationToken)).Queued == 0)
                break;
        }

        foreach (var id in journeys.Select(journey => journey.DeliveryId).OfType<string>())
            using (await http.DeleteAsync(new Uri(application.Plan.Url(Service.DroneScheduler, 0), $"api/dronedeliveries/{id}"), cancellationToken))
            {
            }

        await RedisServer.ClearAsync(application.Plan.RedisConnectionString);
        return await queue.ReadAsync(cancellationToken);
    }

    private Task<IReadOnlyList<Journey>> SendAsync(TimeSpan patience, CancellationToken cancellationToken)
    {
        var count = DeliveriesPerReplica * Service.All.Max(application.Plan.Replicas);
        return new Journeys(http, clock, application.Plan.Urls(Service.Ingestion)).SendAsync(count, count, patience, cancellationToken);
    }

    private async Task CallAsync(BackendCalls calls, Service backend, int replica, CancellationToken cancellationToken)
    {
        var options = new ParallelOptions { MaxDegreeOfParallelism = CallsAtATime, CancellationToken = cancellationToken };
        await Parallel.ForAsync(0, CallsPerBackend, options, async (call, token) =>
            await calls.PutAsync(backend, application.Plan.Url(backend, replica), $"warm-up-{replica}-{call}", token));
    }
}
