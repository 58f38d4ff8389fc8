namespace DroneDelivery.Lab.Experiments;

/// <summary>The declared site: its hosts, what a hit costs, and who loads it.</summary>
internal sealed record SiteSettings
{
    /// <summary>At the end of the ramp. Each asks again as soon as it has its answer.</summary>
    public required int Users { get; init; }

    public required double RampSeconds { get; init; }

    /// <summary>What the load generator manages, all users together.</summary>
    public required double MostPerSecond { get; init; }

    /// <summary>At the end.</summary>
    public required int Hosts { get; init; }

    /// <summary>At the beginning; one more comes every <see cref="SecondsPerHost"/>.</summary>
    public required int HostsAtStart { get; init; }

    public required double SecondsPerHost { get; init; }

    public required int Cores { get; init; }

    public required double Acu { get; init; }

    /// <summary>CPU of a hit, on a core of 100 ACU.</summary>
    public required double HitMs { get; init; }

    /// <summary>CPU of the call to the table; 0: nothing is stored.</summary>
    public required double WriteMs { get; init; }

    /// <summary>CPU of the built-in logging; 0: it is off.</summary>
    public required double LogMs { get; init; }

    /// <summary>Median of the table's answer, for which the hit waits.</summary>
    public required double TableMs { get; init; }

    public required double TableSigma { get; init; }

    /// <summary>Hits that a host has at a time; one more is refused.</summary>
    public required int QueueLimit { get; init; }

    /// <summary>How long a refusal takes, seen from the user.</summary>
    public required double RefusalSeconds { get; init; }

    public required int Seed { get; init; }

    /// <summary>Seconds of one core for one hit.</summary>
    public double CpuSeconds => (HitMs + WriteMs + LogMs) / 1000 * 100 / Acu;

    /// <summary>Hits a second that all hosts manage together.</summary>
    public double Capacity => Hosts * Cores / CpuSeconds;

    public static SiteSettings Of(KnobValues knobs) => new()
    {
        Users = (int)knobs["load.users"],
        RampSeconds = knobs["load.ramp"],
        MostPerSecond = knobs["load.most"],
        Hosts = (int)knobs["site.hosts"],
        HostsAtStart = (int)Math.Min(knobs["site.hosts"], knobs["site.hostsAtStart"]),
        SecondsPerHost = knobs["site.secondsPerHost"],
        Cores = (int)knobs["host.cores"],
        Acu = knobs["host.acu"],
        HitMs = knobs["hit.cpu"],
        WriteMs = knobs["write.cpu"],
        LogMs = knobs["logging.cpu"],
        TableMs = knobs["table.latency"],
        TableSigma = knobs["table.sigma"],
        QueueLimit = (int)knobs["host.queueLimit"],
        RefusalSeconds = knobs["host.refusal"],
        Seed = (int)knobs["load.seed"],
    };
}
