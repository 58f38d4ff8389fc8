namespace DroneDelivery.Lab.Experiments.TrackingPixel;

/// <summary>The declared site: its hosts, what a hit costs, and who loads it.</summary>
/// <param name="Users">At the end of the ramp. Each asks again as soon as it has its answer.</param>
/// <param name="MostPerSecond">What the load generator manages, all users together.</param>
/// <param name="Hosts">At the end.</param>
/// <param name="HostsAtStart">At the beginning; one more comes every <paramref name="SecondsPerHost"/>.</param>
/// <param name="HitMs">CPU of a hit, on a core of 100 ACU.</param>
/// <param name="WriteMs">CPU of the call to the table; 0: nothing is stored.</param>
/// <param name="LogMs">CPU of the built-in logging; 0: it is off.</param>
/// <param name="TableMs">Median of the table's answer, for which the hit waits.</param>
/// <param name="QueueLimit">Hits that a host has at a time; one more is refused.</param>
/// <param name="RefusalSeconds">How long a refusal takes, seen from the user.</param>
internal sealed record SiteSettings(
    int Users,
    double RampSeconds,
    double MostPerSecond,
    int Hosts,
    int HostsAtStart,
    double SecondsPerHost,
    int Cores,
    double Acu,
    double HitMs,
    double WriteMs,
    double LogMs,
    double TableMs,
    double TableSigma,
    int QueueLimit,
    double RefusalSeconds,
    int Seed)
{
    /// <summary>Seconds of one core for one hit.</summary>
    public double CpuSeconds => (HitMs + WriteMs + LogMs) / 1000 * 100 / Acu;

    /// <summary>Hits a second that all hosts manage together.</summary>
    public double Capacity => Hosts * Cores / CpuSeconds;

    public static SiteSettings Of(KnobValues knobs) => new(
        Users: (int)knobs["load.users"],
        RampSeconds: knobs["load.ramp"],
        MostPerSecond: knobs["load.most"],
        Hosts: (int)knobs["site.hosts"],
        HostsAtStart: (int)Math.Min(knobs["site.hosts"], knobs["site.hostsAtStart"]),
        SecondsPerHost: knobs["site.secondsPerHost"],
        Cores: (int)knobs["host.cores"],
        Acu: knobs["host.acu"],
        HitMs: knobs["hit.cpu"],
        WriteMs: knobs["write.cpu"],
        LogMs: knobs["logging.cpu"],
        TableMs: knobs["table.latency"],
        TableSigma: knobs["table.sigma"],
        QueueLimit: (int)knobs["host.queueLimit"],
        RefusalSeconds: knobs["host.refusal"],
        Seed: (int)knobs["load.seed"]);
}
