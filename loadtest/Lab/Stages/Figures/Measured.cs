using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Stages;

/// <summary>The measurements of a stage. Percentages are 0–100, shares 0–1, unknown values NaN.</summary>
/// <param name="Final">The queue's counters after every receiver has stopped.</param>
/// <param name="AtStart">Messages and dead letters at the start of the load.</param>
/// <param name="Errors">HTTP 5xx responses to clients or between services.</param>
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
    /// <summary>The values of <see cref="TelemetryFigures"/>, if any.</summary>
    public IReadOnlyDictionary<string, double> Telemetry { get; init; } = new Dictionary<string, double>();

    /// <summary>The available sources. Values of other sources are 0; ignore them.</summary>
    public Sources Told { get; init; } = Sources.Everything;

    /// <summary>When Workflow began to stop, in seconds; <c>null</c> if the series ends before.</summary>
    public double? ObservedUntil { get; init; }

    /// <summary>The whole stage if this is its first half.</summary>
    public Measured? Whole { get; init; }

    /// <summary>The interval of the article's throughput graph; smaller ones would raise the maximum.</summary>
    private const double PeakBinSeconds = 5;

    /// <summary>The share of the test in which deliveries can still succeed after the first rejection.</summary>
    private const double CacheFillsUp = 0.02;

    public double Plateau(Func<Sample, double> counter) =>
        Series.Rate(counter, Profile.PlateauStart, Profile.DurationSeconds);

    public double UnderLoad(Func<Sample, double> counter) => Series.Rate(counter, 0, Profile.DurationSeconds);

    public double LastThird(Func<Sample, double> counter) =>
        Series.Rate(counter, Profile.DurationSeconds * 2 / 3, Profile.DurationSeconds);

    public double AfterLoad(Func<Sample, double> counter) =>
        Series.Rate(counter, Profile.DurationSeconds, ObservedUntil ?? Series.End);

    public double AtLoadEnd(Func<Sample, double> counter) => Series.At(counter, Profile.DurationSeconds);

    /// <summary>Returns a counter at the end of the load, per accepted request.</summary>
    public double PerSent(Func<Sample, double> counter) => AtLoadEnd(counter) / Load.Accepted;

    public double Peak(Func<Bin, double> rate) =>
        LoadBins(PeakBinSeconds).Select(rate).DefaultIfEmpty(double.NaN).Max();

    public double First(Func<Sample, long> counter) =>
        Series
            .Samples.Where(sample => counter(sample) > 0)
            .Select(sample => sample.At)
            .DefaultIfEmpty(double.NaN)
            .First();

    /// <summary>
    /// Returns the mean rate in the second half of the time until the cache was full, when enough users keep Workflow busy.
    /// </summary>
    public double BeforeFull(Func<Sample, double> counter) => Series.Rate(counter, CacheFull / 2, CacheFull);

    public double AfterFull(Func<Sample, double> counter) =>
        Series.Rate(counter, CacheFull + CacheFillsUp * Profile.DurationSeconds, Profile.DurationSeconds);

    /// <summary>The seconds until the queue was empty.</summary>
    public double Drain =>
        Series
            .Samples.Where(sample => sample.At >= Profile.DurationSeconds && sample.Queue.Queued == 0)
            .Select(sample => sample.At - Profile.DurationSeconds)
            .DefaultIfEmpty(double.NaN)
            .First();

    public IReadOnlyList<double> NodeBins =>
        [.. LoadBins(BinSeconds).SelectMany(bin => bin.Nodes).Select(share => share * 100)];

    public double BusiestNode =>
        Series.Nodes(Profile.PlateauStart, Profile.DurationSeconds).DefaultIfEmpty(double.NaN).Max() * 100;

    /// <summary>The CPU utilization of the real machine under load.</summary>
    public double Machine => UnderLoad(sample => sample.MachineBusy);

    /// <summary>The share of the real machine's CPU stolen by a hypervisor under load.</summary>
    public double Stolen => UnderLoad(sample => sample.MachineStolen);

    /// <summary>The share of the load in which a runnable task waited for a real CPU.</summary>
    public double Pressure => UnderLoad(sample => sample.MachinePressure);

    /// <summary>The share of reservations of emulated CPU time that completed late.</summary>
    public double LateHolds => UnderLoad(sample => sample.LateHolds) / UnderLoad(sample => sample.Holds);

    /// <summary>Missing messages at the end of the stage; a half has those of its whole stage.</summary>
    public double Unaccounted => Whole?.Unaccounted ?? AtStart + Load.Accepted - Final.Known;

    private double CacheFull => First(sample => sample.OutOfMemory);

    private IEnumerable<Bin> LoadBins(double width) =>
        Series.Bins(width, Profile.UsersAt).Where(bin => bin.End <= Profile.DurationSeconds + 1e-9);

    /// <summary>
    /// Returns the first half of the load as a stage. Incoming messages replace the requests, which the driver counts only for the whole
    /// stage.
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
