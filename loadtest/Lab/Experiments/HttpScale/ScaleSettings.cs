namespace DroneDelivery.Lab.Experiments.HttpScale;

/// <summary>The declared function app: what a request takes, how it scales, and what it costs.</summary>
/// <param name="Clients">Each sends the next request when it has the answer to the one before.</param>
/// <param name="Concurrency">Requests that an instance takes at the same time.</param>
/// <param name="BaseMs">Of a request, however many others its instance has.</param>
/// <param name="PerRequestMs">Of a request, for each that its instance has at that time, itself included.</param>
/// <param name="Sigma">Of the log-normal spread of that time; its mean stays.</param>
/// <param name="Quota">Instances that the subscription's memory in the region allows.</param>
/// <param name="AlwaysReady">Instances that are there before the load.</param>
/// <param name="Pace">Instances that are added in a second, until there are <paramref name="FastUntil"/>.</param>
/// <param name="LaterPace">Instances that are added in a second from then on.</param>
/// <param name="ColdStartMu">Of the log-normal time until a new instance takes its first request; the time is in milliseconds.</param>
internal sealed record ScaleSettings(
    int Clients,
    int Concurrency,
    double BaseMs,
    double PerRequestMs,
    double Sigma,
    int Quota,
    int AlwaysReady,
    double Pace,
    int FastUntil,
    double LaterPace,
    double ColdStartMu,
    double ColdStartSigma,
    double Seconds,
    int Seed)
{
    /// <summary>What the controller scales to: one group, an instance for each so many requests, as far as the quota goes.</summary>
    public int Target => Math.Min((Clients + Concurrency - 1) / Concurrency, Quota);

    public static ScaleSettings Of(KnobValues knobs) => new(
        Clients: (int)knobs["load.clients"],
        Concurrency: (int)knobs["app.concurrency"],
        BaseMs: knobs["request.base"],
        PerRequestMs: knobs["request.perRequest"],
        Sigma: knobs["request.sigma"],
        Quota: (int)knobs["scale.quota"],
        AlwaysReady: (int)knobs["scale.alwaysReady"],
        Pace: knobs["scale.pace"],
        FastUntil: (int)knobs["scale.fastUntil"],
        LaterPace: knobs["scale.laterPace"],
        ColdStartMu: knobs["coldStart.mu"],
        ColdStartSigma: knobs["coldStart.sigma"],
        Seconds: knobs["load.duration"],
        Seed: (int)knobs["load.seed"]);
}
