using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Run;

/// <summary>
/// Work for the replicas before the load comes, so that a stage does not measure how long .NET takes to compile their code: in a cluster
/// they had run for hours, and in the story of all stages they have worked for minutes.
/// </summary>
internal sealed class WarmUp(Application application, QueueControl queue, HttpClient http, TimeProvider clock)
{
    private const int MessagesPerHandler = 3;
    private static readonly TimeSpan PatienceForTheRest = TimeSpan.FromMinutes(2),
        Pause = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// So many that the runtime compiles what a call needs for good: it counts 128 of them (<see cref="ProcessSettings"/>), and begins to
    /// count when nothing has been compiled for the first time for a moment. Fewer would leave that work, which takes both cores of a small
    /// machine for seconds, to the load.
    /// </summary>
    internal const int CallsPerReplica = 220;

    // As many as wait for answers of an emulated service while others use the CPU.
    private const int CallsAtATime = 16;

    /// <summary>The application is quiet when all of its processes take less than this share of a core for <see cref="Window"/>.</summary>
    private const double Quiet = 0.25;

    private static readonly TimeSpan Window = TimeSpan.FromSeconds(1),
        PatienceForTheCompiler = TimeSpan.FromSeconds(30);

    private int Handlers => (int)application.Plan.Knobs.Number("workflow.maxConcurrentCalls");

    /// <summary>A Workflow's calls, straight to each back end that was started.</summary>
    public Task BackendsAsync(IEnumerable<(Service Service, int Replica)> started, CancellationToken cancellationToken)
    {
        var calls = new BackendCalls(http);
        return Task.WhenAll(
            started
                .Where(it => Service.Backends.Contains(it.Service))
                .Select(it =>
                    RepeatAsync(
                        (call, token) =>
                            calls.PutAsync(
                                it.Service,
                                application.Plan.Url(it.Service, it.Replica),
                                $"warm-up-{it.Replica}-{call}",
                                token
                            ),
                        cancellationToken
                    )
                )
        );
    }

    /// <summary>Requests to each Ingestion that was started. Workflows handle some of their messages: empty the queue after it.</summary>
    public Task IngestionAsync(IEnumerable<(Service Service, int Replica)> started, CancellationToken cancellationToken)
    {
        var requests = DeliveryRequests.Load();
        return Task.WhenAll(
            started
                .Where(it => it.Service == Service.Ingestion)
                .Select(it =>
                    RepeatAsync(
                        async (call, token) =>
                        {
                            using var body = requests.Create($"warm-up-{it.Replica}-{call}");
                            var url = new Uri(application.Plan.Url(it.Service, it.Replica), "api/deliveryrequests");
                            using var response = await http.PostAsync(url, body, token);
                        },
                        cancellationToken
                    )
                )
        );
    }

    /// <summary>
    /// Waits until the processes have compiled what they were warmed up for, which they do beside their work; not for ever, where something
    /// else keeps them busy.
    /// </summary>
    public Task CompiledAsync(CancellationToken cancellationToken) =>
        QuietAsync(
            () => application.Processes.Aggregate(TimeSpan.Zero, (sum, process) => sum + process.Cpu),
            clock,
            cancellationToken
        );

    /// <param name="cpu">Time that the processes have used so far.</param>
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

    /// <summary>Messages for each Workflow that was started, with which all of its handlers work at the same time.</summary>
    public async Task WorkflowAsync(
        IEnumerable<(Service Service, int Replica)> started,
        CancellationToken cancellationToken
    )
    {
        var count = MessagesPerHandler * Handlers * started.Count(it => it.Service == Service.Workflow);
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
            if (clock.GetElapsedTime(began) > PatienceForTheRest)
            {
                throw new LabException(
                    $"{left} of {count} messages that were sent to warm up are still in the queue after {PatienceForTheRest.TotalMinutes} "
                        + $"minutes: Workflow does not finish them. Its log is in {application.Plan.Logs}"
                );
            }
        }
    }

    private static Task RepeatAsync(Func<int, CancellationToken, Task> call, CancellationToken cancellationToken)
    {
        var options = new ParallelOptions
        {
            MaxDegreeOfParallelism = CallsAtATime,
            CancellationToken = cancellationToken,
        };
        return Parallel.ForAsync(0, CallsPerReplica, options, async (number, token) => await call(number, token));
    }
}
