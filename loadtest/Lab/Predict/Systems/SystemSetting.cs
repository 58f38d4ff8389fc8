using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>A system as the model is told it.</summary>
internal static class SystemSetting
{
    // A retry that would begin later than this after the call is left out.
    private const double TotalTimeoutSeconds = 30;

    /// <param name="it">Valid.</param>
    /// <param name="seed">Of the placement of replicas, where chance decides.</param>
    public static Setting SettingOf(this SystemFile it, int seed = 1)
    {
        var (place, receiver, queue) = (PlacesOf(it, seed), it.Receiver, it.Queue);
        var (backends, steps) = CallsOf(receiver, place);
        return new()
        {
            Users = UsersOf(it.Load!),
            Nodes = it.Nodes is { CpuCost: > 0 } declared
                ? new(declared.Count, declared.VCpu, declared.System.JobMilliseconds, declared.System.EveryMilliseconds)
                : new(Count: 1, VCpu: 1),
            Ingestion = it.Accepts is { } accepts ? place(accepts) : new([0]),
            Queue = new(queue.LockDuration, queue.MaxDeliveryCount, queue.MessagesAtStart),
            Handling = new(
                receiver.MaxConcurrentCalls,
                receiver.PrefetchCount,
                receiver.MaxAutoLockRenewalDuration,
                receiver.FailurePolicy == FailurePolicy.DeadLetter && receiver.RetryFor == 0,
                receiver.AbandonDelay,
                receiver.HoldDuringOutage == Switch.On,
                receiver.RetryFor > 0,
                receiver.RetryDelay
            ),
            Calls = ResilienceOf(it.Http),
            Workflow = place(it.Receives) with { Latency = receiver.Settlement },
            Backends = backends,
            Steps = steps,
            ObserveSeconds = it.Observe.Seconds,
            UntilEmpty = it.Observe.UntilEmpty,
        };
    }

    /// <summary>The load as figures are computed with it.</summary>
    public static StepProfile ProfileOf(UsersSetting users) =>
        new(
            "",
            "",
            users.Start,
            users.Step,
            users.StepSeconds,
            users.Most,
            users.DurationSeconds,
            users.EveryMilliseconds,
            users.Jitter
        );

    private static UsersSetting UsersOf(SystemLoad load) =>
        load.PerSecond is { } rate
            ? new(1, 1, 1, 1, load.Duration, 1000 / rate, Jitter: 0, Open: true, Random: true)
            : new(
                Math.Min(load.StartUsers, load.MaxUsers!.Value),
                load.StepUsers,
                load.StepSeconds,
                load.MaxUsers!.Value,
                load.Duration,
                load.RequestEveryMilliseconds,
                load.Jitter,
                load.Open
            );

    private static CallSetting ResilienceOf(SystemCalls http) =>
        new()
        {
            RetrySeconds = http.RetryDelays,
            RetryJitter = http.RetryJitter,
            AttemptTimeoutSeconds = http.AttemptTimeout,
            TotalTimeoutSeconds = Math.Max(TotalTimeoutSeconds, http.AttemptTimeout),
            BreakerRatio = http.BreakerFailureRatio,
            BreakerMinimum = http.BreakerMinimumThroughput,
            BreakerWindowSeconds = http.BreakerSamplingDuration,
            BreakerBreakSeconds = http.BreakerBreakDuration,
        };

    /// <summary>A service that is called twice is two of them for the model, on the same nodes.</summary>
    private static (IReadOnlyList<ServiceSetting> Backends, IReadOnlyList<IReadOnlyList<int>> Steps) CallsOf(
        SystemService receiver,
        Func<string, ServiceSetting> place
    )
    {
        var (backends, steps) = (new List<ServiceSetting>(), new List<IReadOnlyList<int>>());
        foreach (var step in receiver.Calls)
        {
            steps.Add([.. Enumerable.Range(backends.Count, step.Services.Count)]);
            backends.AddRange(step.Services.Select(place));
        }

        return (backends, steps);
    }

    /// <summary>Service → where its replicas are, and what its work costs.</summary>
    private static Func<string, ServiceSetting> PlacesOf(SystemFile it, int seed)
    {
        var nodes = it.Nodes is { CpuCost: > 0 } ? it.Nodes : null;
        var placement = Placement.Of(
            nodes?.Placement ?? PlacementRule.RoundRobin,
            nodes?.Count ?? 1,
            it.Services.Select(service => (service.Key, service.Value.Replicas)),
            before: null,
            seed
        );
        return name =>
            new(
                [
                    .. Enumerable
                        .Range(0, it.Services[name].Replicas)
                        .Select(replica => placement.NodeOf[$"{name}-{replica}"]),
                ],
                nodes is null ? null : it.Services[name].CpuMilliseconds?.Longer(nodes.CpuCost),
                it.Services[name].Latency
            )
            {
                Name = name,
            };
    }
}
