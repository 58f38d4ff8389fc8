namespace DroneDelivery.Lab.Experiments;

/// <summary>The declared function app: what a request takes, how it scales, and what it costs.</summary>
internal sealed record ScaleSettings
{
    /// <summary>Each sends the next request when it has the answer to the one before.</summary>
    public required int Clients { get; init; }

    /// <summary>Requests that an instance takes at the same time.</summary>
    public required int Concurrency { get; init; }

    /// <summary>Of a request, however many others its instance has.</summary>
    public required double BaseMs { get; init; }

    /// <summary>Of a request, for each that its instance has at that time, itself included.</summary>
    public required double PerRequestMs { get; init; }

    /// <summary>Of the log-normal spread of that time; its mean stays.</summary>
    public required double Sigma { get; init; }

    /// <summary>Instances that the subscription's memory in the region allows.</summary>
    public required int Quota { get; init; }

    /// <summary>Instances that are there before the load.</summary>
    public required int AlwaysReady { get; init; }

    /// <summary>Instances that are added in a second, until there are <see cref="FastUntil"/>.</summary>
    public required double Pace { get; init; }

    public required int FastUntil { get; init; }

    /// <summary>Instances that are added in a second from then on.</summary>
    public required double LaterPace { get; init; }

    /// <summary>Of the log-normal time until a new instance takes its first request; the time is in milliseconds.</summary>
    public required double ColdStartMu { get; init; }

    public required double ColdStartSigma { get; init; }

    public required double Seconds { get; init; }

    public required int Seed { get; init; }

    /// <summary>What the controller scales to: one group, an instance for each so many requests, as far as the quota goes.</summary>
    public int Target => Math.Min((Clients + Concurrency - 1) / Concurrency, Quota);

    public static ScaleSettings Of(KnobValues knobs) => new()
    {
        Clients = (int)knobs["load.clients"],
        Concurrency = (int)knobs["app.concurrency"],
        BaseMs = knobs["request.base"],
        PerRequestMs = knobs["request.perRequest"],
        Sigma = knobs["request.sigma"],
        Quota = (int)knobs["scale.quota"],
        AlwaysReady = (int)knobs["scale.alwaysReady"],
        Pace = knobs["scale.pace"],
        FastUntil = (int)knobs["scale.fastUntil"],
        LaterPace = knobs["scale.laterPace"],
        ColdStartMu = knobs["coldStart.mu"],
        ColdStartSigma = knobs["coldStart.sigma"],
        Seconds = knobs["load.duration"],
        Seed = (int)knobs["load.seed"],
    };
}
