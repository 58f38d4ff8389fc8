using System.Collections.Concurrent;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Run;

/// <summary>Makes the faults of a stage happen to the application that the lab has started, and mends them again.</summary>
internal sealed class FaultInjection(StagePlan plan, Application application, HttpClient http, TimeProvider clock)
{
    /// <summary>Replicas that are killed and do not run again.</summary>
    private readonly ConcurrentDictionary<string, bool> _killed = [];

    /// <summary>Service and option → what its replicas were told last.</summary>
    private readonly ConcurrentDictionary<(string Service, string Option), double> _told = [];

    public static void Require(StagePlan plan)
    {
        _ = StageFault.Of(plan);
        var load = plan.Profile.DurationSeconds * plan.K;
        if (plan.Options.Faults.FirstOrDefault(it => it.Fault.FromSeconds >= load) is { } late)
        {
            throw new BadInputException(
                $"--fault '{late.Text}': the load of stage {plan.Stage.Id} ends after {load:0} s, and a fault of a run begins before."
            );
        }
        var emulated = Service
            .Backends.Select(service => service.Name)
            .Where(plan.Environment.Latency.ContainsKey)
            .ToList();
        if (
            plan.Options.Faults.FirstOrDefault(fault => IsEmulated(fault) && !emulated.Contains(fault.Whom)) is
            { } other
        )
        {
            throw new BadInputException(
                $"--fault '{other.Text}': a run slows and fails services with an emulated latency; "
                    + $"environment {plan.Environment.Name} has {(emulated.Count == 0 ? "none" : string.Join(", ", emulated))}."
            );
        }
    }

    private static bool IsEmulated(StageFault fault) => fault.Fault.Kind is FaultKind.Slow or FaultKind.Fail;

    /// <summary>Returns when all of them are over, or, with everything mended but what was killed for good, when the stage is.</summary>
    /// <param name="cancellationToken">The stage is over.</param>
    public Task RunAsync(CancellationToken cancellationToken) =>
        Task.WhenAll(plan.Options.Faults.Select(fault => RunAsync(fault, cancellationToken)));

    private async Task RunAsync(StageFault fault, CancellationToken cancellationToken)
    {
        var (from, to) = (fault.Fault.FromSeconds / plan.K, fault.Fault.ToSeconds / plan.K);
        var lasts = double.IsFinite(to) ? TimeSpan.FromSeconds(to - from) : Timeout.InfiniteTimeSpan;
        await Task.Delay(TimeSpan.FromSeconds(from), clock, cancellationToken)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (cancellationToken.IsCancellationRequested)
            return;
        var mend = await BeginAsync(fault);
        await Task.Delay(lasts, clock, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        try
        {
            await mend(cancellationToken);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The stage ended while a replica was starting again: nobody waits for it any more.
        }
    }

    /// <returns>What ends it. After the end of the stage nothing is started: the next stage does that.</returns>
    private async Task<Func<CancellationToken, Task>> BeginAsync(StageFault fault)
    {
        switch (fault.Fault.Kind)
        {
            case FaultKind.Kill:
                var name = $"{fault.Whom}-{fault.Fault.Replica}";
                _killed[name] = true;
                await application.Find(name)!.KillAsync();
                return over => over.IsCancellationRequested ? Task.CompletedTask : RestartAsync(fault.Whom, name, over);
            case FaultKind.FillCache:
                var redis = application.Plan.RedisConnectionString;
                var limit = await RedisServer.LimitAsync(redis, maxMemory: 1);
                return _ => RedisServer.LimitAsync(redis, limit);
            case FaultKind.Slow:
                await TellAsync(fault.Whom, "$slowness?factor", fault.Fault.Factor);
                return _ => TellAsync(fault.Whom, "$slowness?factor", 1);
            case FaultKind.Fail:
                await TellAsync(fault.Whom, "$errors?share", fault.Fault.Share);
                return _ => TellAsync(fault.Whom, "$errors?share", 0);
            default:
                var paused = application.StoreOf(fault.Whom).Id;
                Signals.Pause(paused);
                return _ =>
                {
                    Signals.Resume(paused);
                    return Task.CompletedTask;
                };
        }
    }

    /// <summary>It is as slow and as wrong as the others of its service, once it is ready.</summary>
    private async Task RestartAsync(string service, string name, CancellationToken cancellationToken)
    {
        await application.RestartAsync(name, cancellationToken);
        _killed.TryRemove(name, out _);
        foreach (var ((_, option), number) in _told.Where(told => told.Key.Service == service))
            await TellReplicaAsync(name, option, number);
    }

    private async Task TellAsync(string service, string option, double number)
    {
        _told[(service, option)] = number;
        foreach (var (_, replica) in application.Plan.AllReplicas.Where(it => it.Service.Name == service))
            await TellReplicaAsync($"{service}-{replica}", option, number);
    }

    private async Task TellReplicaAsync(string name, string option, double number)
    {
        try
        {
            var url = new Uri(application.UrlOf(name), $"{option}={number}");
            using var answer = await http.PostAsync(url, content: null);
            answer.EnsureSuccessStatusCode();
        }
        catch (HttpRequestException) when (_killed.ContainsKey(name))
        {
            // It is told when it has started again.
        }
    }
}
