using System.Collections.Concurrent;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Run;

/// <summary>Injects the faults of a stage into an application that the lab started.</summary>
internal sealed class FaultInjection(StagePlan plan, Application application, HttpClient http, TimeProvider clock)
{
    private readonly ConcurrentDictionary<string, bool> _killed = [];

    /// <summary>The last value sent to the replicas, by service and option.</summary>
    private readonly ConcurrentDictionary<(string Service, string Option), double> _told = [];

    public static void Require(StagePlan plan)
    {
        _ = StageFault.Of(plan);
        var load = plan.Profile.DurationSeconds * plan.K;
        if (plan.Options.Faults.FirstOrDefault(fault => fault.Fault.FromSeconds >= load) is { } late)
        {
            throw new BadInputException(
                $"--fault '{late.Text}': the load of stage {plan.Stage.Id} ends after {load:0} s, and a fault must start before that."
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
                $"--fault '{other.Text}': a run can slow or fail only services with an emulated latency; "
                    + $"environment {plan.Environment.Name} has {(emulated.Count == 0 ? "none" : string.Join(", ", emulated))}."
            );
        }
    }

    private static bool IsEmulated(StageFault fault) => fault.Fault.Kind is FaultKind.Slow or FaultKind.Fail;

    /// <summary>Completes when all faults have ended, or at the end of the stage, which ends all faults except permanent kills.</summary>
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
            // The stage ended during the restart of a replica.
        }
    }

    /// <returns>Ends the fault. It starts no replica after the end of the stage, because the next stage does.</returns>
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

    /// <summary>Restarts a replica and applies the faults of its service.</summary>
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
        foreach (var (_, replica) in application.Plan.AllReplicas.Where(process => process.Service.Name == service))
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
            // A killed replica is configured after its restart.
        }
    }
}
