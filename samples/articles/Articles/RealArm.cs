using DroneDelivery.Lab;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Articles;

/// <summary>Runs loads on the application on this machine, without emulation.</summary>
internal static class RealArm
{
    /// <summary>Returns a plan without Workflow, so that the measured service has the machine to itself.</summary>
    public static ApplicationPlan PlanOf(Scene scene, params string[] knobs) =>
        new(
            scene.Folder,
            scene.Ports,
            KnobSet.Parse(["workflow.replicas=0", .. knobs]),
            DeclaredEnvironment.None,
            Seed: 1
        );

    /// <summary>Returns a setting with a different value for each process of a service.</summary>
    public static Dictionary<string, IReadOnlyDictionary<string, string>> EachWith(
        Service service,
        string setting,
        IEnumerable<string> values
    ) =>
        values
            .Index()
            .ToDictionary(
                it => service.NameOf(it.Index),
                IReadOnlyDictionary<string, string> (it) => new Dictionary<string, string> { [setting] = it.Item }
            );

    /// <exception cref="LabException">A program is missing, or a port is in use.</exception>
    public static void RequireMachine(ApplicationPlan plan)
    {
        _ = RedisServer.Find();
        Ports.EnsureFree(plan.AllPorts);
    }

    public static async Task<Exhibits> MeasureAsync(
        ApplicationPlan plan,
        Scene scene,
        Func<Application, CancellationToken, Task<Exhibits>> measure,
        CancellationToken cancellationToken
    )
    {
        scene.Progress.Report("starting the application");
        await using var application = await Application.StartAsync(plan, new Progress<(int, int)>(), cancellationToken);
        return await UntilCrashAsync(application, token => measure(application, token), cancellationToken);
    }

    /// <exception cref="LabException">A process exited or is unresponsive.</exception>
    internal static async Task<T> UntilCrashAsync<T>(
        Application application,
        Func<CancellationToken, Task<T>> measure,
        CancellationToken cancellationToken
    )
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var measured = measure(ended.Token);
        try
        {
            await application.Crashed.EndsAsync(measured, ended);
            return await measured;
        }
        catch (Exception exception)
            when (exception is HttpRequestException or OperationCanceledException
                && !cancellationToken.IsCancellationRequested
            )
        {
            throw await application.CauseOfAsync(exception);
        }
    }

    /// <summary>Runs all loads round robin, so that other work of the machine disturbs each of them. Round 0 is the warm-up.</summary>
    public static async Task<IReadOnlyList<(TLoad Load, List<TSeen> Turns)>> InTurnAsync<TLoad, TSeen>(
        Scene scene,
        IEnumerable<TLoad> loads,
        Func<TLoad, string> says,
        Func<TLoad, int, Task<TSeen>> play
    )
    {
        var turns = scene.Knobs.Count("real.repetitions");
        var seen = loads.Select(load => (Load: load, Turns: new List<TSeen>())).ToList();
        for (var turn = 0; turn <= turns; turn++)
        {
            foreach (var (load, played) in seen)
            {
                scene.Progress.Report($"{says(load)}, turn {turn} of {turns}");
                played.Add(await play(load, turn));
            }
        }
        return seen;
    }
}
