using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Run;

/// <summary>Makes the faults of a stage happen to the application that the lab has started, and mends them again.</summary>
internal sealed class FaultInjection(StagePlan plan, Application application, HttpClient http, TimeProvider clock)
{
    /// <exception cref="BadInputException">A fault does not fit the stage, or only the model can have it.</exception>
    public static void Require(StagePlan plan)
    {
        _ = SimulatedFault.Of(plan);
        var emulated = Service.Backends.Select(service => service.Name).Where(plan.Environment.Latency.ContainsKey).ToList();
        if (plan.Options.Faults.FirstOrDefault(fault => IsEmulated(fault) && !emulated.Contains(fault.Whom)) is { } other)
        {
            throw new BadInputException(
                $"--fault '{other.Text}': a run slows and fails services with an emulated latency; "
                    + $"environment {plan.Environment.Name} has {(emulated.Count == 0 ? "none" : string.Join(", ", emulated))}.");
        }
    }

    private static bool IsEmulated(SimulatedFault fault) => fault.What is SimulatedFault.Slow or SimulatedFault.Fail;

    /// <summary>Returns when all of them are over, or, with everything mended but what was killed for good, when the stage is.</summary>
    /// <param name="cancellationToken">The stage is over.</param>
    /// <exception cref="LabException">What was killed does not start again.</exception>
    public Task RunAsync(CancellationToken cancellationToken) =>
        Task.WhenAll(plan.Options.Faults.Select(fault => RunAsync(fault, cancellationToken)));

    private async Task RunAsync(SimulatedFault fault, CancellationToken cancellationToken)
    {
        var lasts = fault.Lasts is { } length ? TimeSpan.FromSeconds(length / plan.K) : Timeout.InfiniteTimeSpan;
        await Task.Delay(TimeSpan.FromSeconds(fault.At / plan.K), clock, cancellationToken)
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
    private async Task<Func<CancellationToken, Task>> BeginAsync(SimulatedFault fault)
    {
        switch (fault.What)
        {
            case SimulatedFault.Kill:
                var name = $"{fault.Whom}-{fault.Replica}";
                await application.Find(name)!.KillAsync();
                return over => over.IsCancellationRequested ? Task.CompletedTask : application.RestartAsync(name, over);
            case SimulatedFault.Fill:
                var redis = application.Plan.RedisConnectionString;
                var limit = await RedisServer.LimitAsync(redis, maxMemory: 1);
                return _ => RedisServer.LimitAsync(redis, limit);
            case SimulatedFault.Slow:
                await TellAsync(fault.Whom, $"$slowness?factor={fault.Factor}");
                return _ => TellAsync(fault.Whom, $"$slowness?factor=1");
            case SimulatedFault.Fail:
                await TellAsync(fault.Whom, $"$errors?share={fault.Share}");
                return _ => TellAsync(fault.Whom, $"$errors?share=0");
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

    private async Task TellAsync(string service, FormattableString path)
    {
        foreach (var url in application.Plan.Urls(Service.All.Single(known => known.Name == service)))
        {
            using var answer = await http.PostAsync(new Uri(url, FormattableString.Invariant(path)), content: null);
            answer.EnsureSuccessStatusCode();
        }
    }
}
