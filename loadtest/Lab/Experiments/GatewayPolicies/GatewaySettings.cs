namespace DroneDelivery.Lab.Experiments;

/// <summary>The declared gateway: its servers, what a request costs them, who waits behind it, and who loads it.</summary>
internal sealed record GatewaySettings
{
    /// <summary>At the end of the ramp. Each thinks between an answer and its next request.</summary>
    public required int Users { get; init; }

    /// <summary>Users that begin in a second.</summary>
    public required double SpawnedPerSecond { get; init; }

    public required double ThinkLeast { get; init; }

    public required double ThinkMost { get; init; }

    /// <summary>One CPU each.</summary>
    public required int Servers { get; init; }

    /// <summary>Requests that a server has in it at the same time; the others wait before it.</summary>
    public required int MostInside { get; init; }

    /// <summary>CPU of a request that is forwarded, or answered where nothing is.</summary>
    public required double AcceptedMs { get; init; }

    /// <summary>CPU of a request that is refused instead.</summary>
    public required double RefusedMs { get; init; }

    /// <summary>Of the log-normal spread of that CPU; its mean stays.</summary>
    public required double Sigma { get; init; }

    /// <summary>Of all requests: 0–1.</summary>
    public required double RefusedShare { get; init; }

    /// <summary>Whether there is a back end.</summary>
    public required bool IsForwarded { get; init; }

    /// <summary>Median of its answer. Nothing of the server is used meanwhile.</summary>
    public required double BackendMs { get; init; }

    public required double BackendSigma { get; init; }

    public required double Seconds { get; init; }

    public required double PlateauSeconds { get; init; }

    public required int Seed { get; init; }

    public double ThinkMean => (ThinkLeast + ThinkMost) / 2;

    /// <summary>When the plateau begins.</summary>
    public double PlateauFrom => Math.Max(0, Seconds - PlateauSeconds);

    public static GatewaySettings Of(KnobValues knobs)
    {
        var (isForwarded, isPost, isValidated) = (knobs["request.forward"] > 0, knobs["request.post"] > 0, knobs["request.validate"] > 0);
        var cost = PolicyCost.Of(knobs);
        var refused = cost.Answer + (isPost ? cost.Body : 0) + (isValidated ? cost.Validate : 0);
        return new()
        {
            Users = (int)knobs["load.users"],
            SpawnedPerSecond = knobs["load.spawn"],
            ThinkLeast = Math.Min(knobs["load.thinkLeast"], knobs["load.thinkMost"]),
            ThinkMost = knobs["load.thinkMost"],
            Servers = (int)knobs["gateway.servers"],
            MostInside = (int)knobs["gateway.concurrency"],
            AcceptedMs = refused + (isForwarded ? cost.Forward : 0),
            RefusedMs = refused,
            Sigma = knobs["request.sigma"],
            RefusedShare = isValidated ? knobs["request.invalid"] : 0,
            IsForwarded = isForwarded,
            BackendMs = knobs["backend.latency"],
            BackendSigma = knobs["backend.sigma"],
            Seconds = knobs["load.duration"],
            PlateauSeconds = knobs["load.plateau"],
            Seed = (int)knobs["load.seed"],
        };
    }
}
