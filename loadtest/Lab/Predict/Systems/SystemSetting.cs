using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>Converts a valid system to the model's input.</summary>
internal static class SystemSetting
{
    // The total timeout: later retries are skipped.
    private const double TotalTimeoutSeconds = 30;

    public static Setting SettingOf(this SystemFile it, int seed = 1)
    {
        var load = it.Load!;
        return it.SettingOf(UsersOf(load.Profile, load.Open || load.PerSecond > 0, isRandom: load.PerSecond > 0), seed);
    }

    /// <inheritdoc cref="SettingOf(SystemFile, int)"/>
    public static Setting SettingOf(this SystemFile it, UsersSetting users, int seed)
    {
        var (receiver, knobs) = (it.Services[it.Receives], it.Knobs);
        var nodes = knobs.Number("nodes.cpuCost") > 0 ? it.Nodes : null;
        var place = PlacesOf(it, nodes, seed);
        var (backends, steps) = CallsOf(receiver, place);
        var retrySeconds = knobs.Number("workflow.retryFor");
        return new()
        {
            Users = users,
            Nodes = nodes is { System: var system }
                ? new(
                    (int)knobs.Number("nodes.count", 1),
                    (int)knobs.Number("nodes.vCpu", 1),
                    system.JobMilliseconds,
                    system.EveryMilliseconds
                )
                : new(Count: 1, VCpu: 1),
            Ingestion = it.Accepts is { } accepts ? place(accepts) : new([0]),
            Queue = new(
                knobs.Number("queue.lockDuration"),
                (int)knobs.Number("queue.maxDeliveryCount"),
                (int)knobs.Number("queue.messagesAtStart", 0)
            ),
            Handling = new(
                (int)knobs.Number("workflow.maxConcurrentCalls"),
                (int)knobs.Number("workflow.prefetchCount"),
                knobs.Number("workflow.maxAutoLockRenewalDuration"),
                receiver.FailurePolicy == FailurePolicy.DeadLetter && retrySeconds == 0,
                receiver.AbandonDelay,
                knobs["workflow.holdDuringOutage"]?.Word != "off",
                RetriesFailures: retrySeconds > 0,
                knobs.Number("workflow.retryDelay")
            ),
            Calls = ResilienceOf(knobs),
            Workflow = place(it.Receives) with { Latency = receiver.Settlement },
            Backends = backends,
            Steps = steps,
            ObserveSeconds = it.Observe.Seconds,
            UntilEmpty = it.Observe.UntilEmpty,
        };
    }

    public static UsersSetting UsersOf(StepProfile profile, bool isOpen, bool isRandom = false) =>
        new(
            profile.StartUsers,
            profile.StepUsers,
            profile.StepSeconds,
            profile.MaxUsers,
            profile.DurationSeconds,
            profile.RequestEveryMilliseconds,
            profile.Jitter,
            isOpen,
            isRandom
        );

    private static CallSetting ResilienceOf(KnobSet knobs)
    {
        var attemptTimeout = knobs.Number("http.attemptTimeout");
        return new()
        {
            RetrySeconds = knobs.Numbers("http.retryDelays"),
            RetryJitter = knobs.Number("http.retryJitter"),
            AttemptTimeoutSeconds = attemptTimeout,
            TotalTimeoutSeconds = Math.Max(TotalTimeoutSeconds, attemptTimeout),
            BreakerRatio = knobs.Number("http.breakerFailureRatio"),
            BreakerMinimum = (int)knobs.Number("http.breakerMinimumThroughput"),
            BreakerWindowSeconds = knobs.Number("http.breakerSamplingDuration"),
            BreakerBreakSeconds = knobs.Number("http.breakerBreakDuration"),
        };
    }

    /// <summary>Returns the back ends and steps. A service that is called twice becomes two back ends on the same nodes.</summary>
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

    private static Func<string, ServiceSetting> PlacesOf(SystemFile it, SystemNodes? nodes, int seed)
    {
        var placement = Placement.Of(
            Placement.RuleOf(it.Knobs),
            nodes is null ? 1 : (int)it.Knobs.Number("nodes.count", 1),
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
                nodes is null ? null : it.Services[name].CpuMilliseconds?.Longer(it.Knobs.Number("nodes.cpuCost")),
                it.Services[name].Latency
            )
            {
                Name = name,
            };
    }
}
