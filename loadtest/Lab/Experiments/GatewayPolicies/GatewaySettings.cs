namespace DroneDelivery.Lab.Experiments.GatewayPolicies;

/// <summary>The declared gateway: its servers, what a request costs them, who waits behind it, and who loads it.</summary>
/// <param name="Users">At the end of the ramp. Each thinks between an answer and its next request.</param>
/// <param name="SpawnedPerSecond">Users that begin in a second.</param>
/// <param name="Servers">One CPU each.</param>
/// <param name="MostInside">Requests that a server has in it at the same time; the others wait before it.</param>
/// <param name="AcceptedMs">CPU of a request that is forwarded, or answered where nothing is.</param>
/// <param name="RefusedMs">CPU of a request that is refused instead.</param>
/// <param name="Sigma">Of the log-normal spread of that CPU; its mean stays.</param>
/// <param name="RefusedShare">Of all requests: 0–1.</param>
/// <param name="IsForwarded">Whether there is a back end.</param>
/// <param name="BackendMs">Median of its answer. Nothing of the server is used meanwhile.</param>
internal sealed record GatewaySettings(
    int Users,
    double SpawnedPerSecond,
    double ThinkLeast,
    double ThinkMost,
    int Servers,
    int MostInside,
    double AcceptedMs,
    double RefusedMs,
    double Sigma,
    double RefusedShare,
    bool IsForwarded,
    double BackendMs,
    double BackendSigma,
    double Seconds,
    double PlateauSeconds,
    int Seed)
{
    public double ThinkMean => (ThinkLeast + ThinkMost) / 2;

    /// <summary>When the plateau begins.</summary>
    public double PlateauFrom => Math.Max(0, Seconds - PlateauSeconds);

    public static GatewaySettings Of(KnobValues knobs)
    {
        var (isForwarded, isPost, isValidated) = (knobs["request.forward"] > 0, knobs["request.post"] > 0, knobs["request.validate"] > 0);
        var cost = PolicyCost.Of(knobs);
        var refused = cost.Answer + (isPost ? cost.Body : 0) + (isValidated ? cost.Validate : 0);
        return new(
            Users: (int)knobs["load.users"],
            SpawnedPerSecond: knobs["load.spawn"],
            ThinkLeast: Math.Min(knobs["load.thinkLeast"], knobs["load.thinkMost"]),
            ThinkMost: knobs["load.thinkMost"],
            Servers: (int)knobs["gateway.servers"],
            MostInside: (int)knobs["gateway.concurrency"],
            AcceptedMs: refused + (isForwarded ? cost.Forward : 0),
            RefusedMs: refused,
            Sigma: knobs["request.sigma"],
            RefusedShare: isValidated ? knobs["request.invalid"] : 0,
            IsForwarded: isForwarded,
            BackendMs: knobs["backend.latency"],
            BackendSigma: knobs["backend.sigma"],
            Seconds: knobs["load.duration"],
            PlateauSeconds: knobs["load.plateau"],
            Seed: (int)knobs["load.seed"]);
    }
}
