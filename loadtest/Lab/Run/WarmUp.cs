using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Run;

/// <summary>Warms up the replicas before the load, so that a stage doesn't measure JIT compilation.</summary>
internal sealed class WarmUp(Application application, QueueControl queue, HttpClient http, TimeProvider clock)
{
    private const int MessagesPerHandler = 3;
    private static readonly TimeSpan DrainTimeout = TimeSpan.FromMinutes(2),
        Pause = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// Enough for the final JIT tier, which takes 128 calls (<see cref="ProcessSettings"/>) after first-time compilations have paused.
    /// Otherwise, compilation would use both cores of a small machine during the load.
    /// </summary>
    internal const int CallsPerReplica = 220;

    // The number that wait for an emulated service while others use the CPU.
    private const int ConcurrentCalls = 16;

    /// <summary>The number of cores below which the application is idle, for <see cref="Window"/>.</summary>
    private const double Quiet = 0.25;

    private static readonly TimeSpan Window = TimeSpan.FromSeconds(1),
        PatienceForTheCompiler = TimeSpan.FromSeconds(30);

    private int Handlers => (int)application.Plan.Knobs.Number("workflow.maxConcurrentCalls");

    /// <summary>Makes a Workflow's calls directly to each started back end.</summary>
    public Task BackendsAsync(IEnumerable<(Service Service, int Replica)> started, CancellationToken cancellationToken)
    {
        var calls = new BackendCalls(http);
        return Task.WhenAll(
            started
                .Where(process => Service.Backends.Contains(process.Service))
                .Select(process =>
                    RepeatAsync(
                        (call, token) =>
                            calls.PutAsync(
                                process.Service,
                                application.Plan.Url(process.Service, process.Replica),
                                $"warm-up-{process.Replica}-{call}",
                                token
                            ),
                        cancellationToken
                    )
                )
        );
    }

    /// <summary>Sends requests to each started Ingestion. Workflows handle some of the messages, so empty the queue afterwards.</summary>
    public Task IngestionAsync(IEnumerable<(Service Service, int Replica)> started, CancellationToken cancellationToken)
    {
        var requests = DeliveryRequests.Load();
        return Task.WhenAll(
            started
                .Where(process => process.Service == Service.Ingestion)
                .Select(process =>
                    RepeatAsync(
                        async (call, token) =>
                        {
                            using var body = requests.Create($"warm-up-{process.Replica}-{call}");
                            var url = new Uri(
                                application.Plan.Url(process.Service, process.Replica),
                                "api/deliveryrequests"
                            );
                            using var response = await http.PostAsync(url, body, token);
                        },
                        cancellationToken
                    )
                )
        );
    }

    /// <summary>Waits until background compilation has finished, or until a timeout.</summary>
    public Task CompiledAsync(CancellationToken cancellationToken) =>
        QuietAsync(
            () => application.Processes.Aggregate(TimeSpan.Zero, (sum, process) => sum + process.Cpu),
            clock,
            cancellationToken
        );

    internal static async Task QuietAsync(Func<TimeSpan> cpu, TimeProvider clock, CancellationToken cancellationToken)
    {
        for (
            var (began, before) = (clock.GetTimestamp(), cpu());
            clock.GetElapsedTime(began) < PatienceForTheCompiler;

        )
        {
            var from = clock.GetTimestamp();
            await Task.Delay(Window, clock, cancellationToken);
            var now = cpu();
            if ((now - before) / clock.GetElapsedTime(from) < Quiet)
                return;
            before = now;
        }
    }

    /// <summary>Sends messages that keep all handlers of each started Workflow busy.</summary>
    public async Task WorkflowAsync(
        IEnumerable<(Service Service, int Replica)> started,
        CancellationToken cancellationToken
    )
    {
        var count = MessagesPerHandler * Handlers * started.Count(process => process.Service == Service.Workflow);
        var broker = application.Plan.BrokerConnectionString;
        await QueuePreload.SendAsync(
            broker,
            BrokerCounters.QueueName,
            count,
            instructionsLength: 0,
            due: default,
            cancellationToken
        );
        for (
            var began = clock.GetTimestamp();
            (await queue.ReadAsync(cancellationToken)).Queued is > 0 and var left;
            await Task.Delay(Pause, clock, cancellationToken)
        )
        {
            if (clock.GetElapsedTime(began) > DrainTimeout)
            {
                throw new LabException(
                    $"{left} of {count} warm-up messages are still in the queue after {DrainTimeout.TotalMinutes} "
                        + $"minutes: Workflow doesn't complete them. Its log is in {application.Plan.Logs}"
                );
            }
        }
    }

    private static Task RepeatAsync(Func<int, CancellationToken, Task> call, CancellationToken cancellationToken)
    {
        var options = new ParallelOptions
        {
            MaxDegreeOfParallelism = ConcurrentCalls,
            CancellationToken = cancellationToken,
        };
        return Parallel.ForAsync(0, CallsPerReplica, options, async (number, token) => await call(number, token));
    }
}
