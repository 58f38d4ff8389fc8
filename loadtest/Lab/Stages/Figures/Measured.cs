using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Stages;

/// <summary>What figures are computed from.</summary>
/// <param name="Profile">The load as it was run (shortened).</param>
/// <param name="Final">The queue after every process that settles was stopped, counted since the stage began.</param>
/// <param name="AtStart">Messages in the queue and in its dead-letter queue when the load began.</param>
/// <param name="Errors">HTTP 5xx seen by clients or inside the application.</param>
/// <param name="HeldAtMost">Messages that one receiver may hold.</param>
internal sealed record Measured(
    Series Series,
    StepProfile Profile,
    double BinSeconds,
    LoadResult Load,
    QueueCounters Final,
    long AtStart,
    long Errors,
    int HeldAtMost
)
{
    /// <summary>Figure → value, of <see cref="TelemetryFigures"/>; none where the stage has no telemetry of its own.</summary>
    public IReadOnlyDictionary<string, double> Telemetry { get; init; } = new Dictionary<string, double>();

    /// <summary>What is known. The numbers of what is not are zero, and mean nothing.</summary>
    public Sources Told { get; init; } = Sources.Everything;

    /// <summary>
    /// Seconds since the load began; in what the series has after it, Workflow was being stopped. Null: nothing is after it.
    /// </summary>
    public double? ObservedUntil { get; init; }

    /// <summary>The stage whose first half this is; null: it is a whole one.</summary>
    public Measured? Whole { get; init; }

    /// <summary>Each point of the article's throughput graph is 5 s. The best of smaller bins would be higher by chance alone.</summary>
    private const double PeakBinSeconds = 5;

    /// <summary>After the first refusal, deliveries that were under way may still find room for this share of the test.</summary>
    private const double CacheFillsUp = 0.02;

    public double Plateau(Func<Sample, double> counter) =>
        Series.Rate(counter, Profile.PlateauStart, Profile.DurationSeconds);

    public double UnderLoad(Func<Sample, double> counter) => Series.Rate(counter, 0, Profile.DurationSeconds);

    public double LastThird(Func<Sample, double> counter) =>
        Series.Rate(counter, Profile.DurationSeconds * 2 / 3, Profile.DurationSeconds);

    public double AfterLoad(Func<Sample, double> counter) =>
        Series.Rate(counter, Profile.DurationSeconds, ObservedUntil ?? Series.End);

    public double AtLoadEnd(Func<Sample, double> counter) => Series.At(counter, Profile.DurationSeconds);

    /// <summary>What was counted until the load ended, for each accepted request.</summary>
    public double PerSent(Func<Sample, double> counter) => AtLoadEnd(counter) / Load.Accepted;

    public double Peak(Func<Bin, double> rate) =>
        LoadBins(PeakBinSeconds).Select(rate).DefaultIfEmpty(double.NaN).Max();

    /// <summary>Seconds until a counter left zero; not a number when it never did.</summary>
    public double First(Func<Sample, long> counter) =>
        Series
            .Samples.Where(sample => counter(sample) > 0)
            .Select(sample => sample.At)
            .DefaultIfEmpty(double.NaN)
            .First();

    /// <summary>
    /// Mean rate in the second half of the time until the cache was full: the first one has too few users to keep Workflow busy.
    /// </summary>
    public double BeforeFull(Func<Sample, double> counter) => Series.Rate(counter, CacheFull / 2, CacheFull);

    public double AfterFull(Func<Sample, double> counter) =>
        Series.Rate(counter, CacheFull + CacheFillsUp * Profile.DurationSeconds, Profile.DurationSeconds);

    /// <summary>Seconds from the end of the load until no message was left; not a number when some were.</summary>
    public double Drain =>
        Series
            .Samples.Where(sample => sample.At >= Profile.DurationSeconds && sample.Queue.Queued == 0)
            .Select(sample => sample.At - Profile.DurationSeconds)
            .DefaultIfEmpty(double.NaN)
            .First();

    /// <summary>Share of its CPU for which a virtual node was busy, for every node and every bin under load: percent.</summary>
    public IReadOnlyList<double> NodeBins =>
        [.. LoadBins(BinSeconds).SelectMany(bin => bin.Nodes).Select(share => share * 100)];

    /// <summary>The virtual node that was busiest with all users there: percent.</summary>
    public double BusiestNode =>
        Series.Nodes(Profile.PlateauStart, Profile.DurationSeconds).DefaultIfEmpty(double.NaN).Max() * 100;

    /// <summary>Share of the real machine's CPU that was busy under load: 0–1, or not a number where that is not known.</summary>
    public double Machine => UnderLoad(sample => sample.MachineBusy);

    /// <summary>The share of the real machine's CPU that a hypervisor took away under load, 0–1; not a number if unknown.</summary>
    public double Stolen => UnderLoad(sample => sample.MachineStolen);

    /// <summary>The share of the load in which a runnable task waited for a real CPU, 0–1; not a number if unknown.</summary>
    public double Pressure => UnderLoad(sample => sample.MachinePressure);

    /// <summary>The share of the reservations of emulated CPU time that ended late under load, 0–1; not a number if there were none.</summary>
    public double LateHolds => UnderLoad(sample => sample.LateHolds) / UnderLoad(sample => sample.Holds);

    /// <summary>
    /// Messages that nobody knows of once nothing is on its way any more. Of a half: of its whole stage, because until then some are.
    /// </summary>
    public double Unaccounted => Whole?.Unaccounted ?? AtStart + Load.Accepted - Final.Known;

    private double CacheFull => First(sample => sample.OutOfMemory);

    private IEnumerable<Bin> LoadBins(double width) =>
        Series.Bins(width, Profile.UsersAt).Where(bin => bin.End <= Profile.DurationSeconds + 1e-9);

    /// <summary>
    /// The first half of the load as a load of its own: it is the same until there. What was sent until there is what came into the queue;
    /// the driver counts for the whole stage alone.
    /// </summary>
    public Measured FirstHalf()
    {
        var half = Profile.DurationSeconds / 2;
        var last = Series.Samples.FirstOrDefault(sample => sample.At >= half) ?? Series.Samples[^1];
        var incoming = (long)Math.Round(Series.At(sample => sample.Queue.Incoming, half));
        return this with
        {
            Series = new([.. Series.Samples.TakeWhile(sample => sample.At <= last.At)]),
            Profile = Profile with { DurationSeconds = half },
            Load = Load with { Sent = incoming, Accepted = incoming },
            Told = Told & ~(Sources.WholeStage | Sources.Telemetry),
            Whole = this,
        };
    }
}
