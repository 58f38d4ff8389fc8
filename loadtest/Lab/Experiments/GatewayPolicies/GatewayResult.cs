namespace DroneDelivery.Lab.Experiments;

/// <summary>What came of the load, at its plateau where nothing else is said.</summary>
/// <param name="Latencies">Seconds of each answer, as its user sees it.</param>
/// <param name="Busy">Share of the servers' CPU: 0–1.</param>
/// <param name="Bins">Answers a second, from the first user on.</param>
internal sealed record GatewayResult(
    KnobValues Knobs,
    IReadOnlyList<double> Latencies,
    double PerSecond,
    double ForwardedPerSecond,
    double Busy,
    IReadOnlyList<double> Bins,
    double BinSeconds)
{
    private readonly double[] _sorted = [.. Latencies.Order()];

    public double MeanSeconds => _sorted.Length == 0 ? double.NaN : _sorted.Average();

    /// <summary>What the closed loop asks of the mean: users / throughput − thinking.</summary>
    public double SecondsByLaw => (int)Knobs["load.users"] / PerSecond - ThinkMean;

    /// <summary>Seconds, between an answer and the user's next request.</summary>
    public double ThinkMean => (EmulatedGateway.ThinkLeastOf(Knobs) + Knobs["load.thinkMost"]) / 2;

    /// <returns>Seconds.</returns>
    public double Percentile(double share) => _sorted.Length == 0 ? double.NaN : _sorted[(int)((_sorted.Length - 1) * share)];

    public ExperimentLine Answered() => new("answered", Seconds, Bins);

    /// <summary>What the users of each moment would send if no answer took any time.</summary>
    public ExperimentLine Wanted() => new(
        "if nobody waited", Seconds,
        [.. Seconds.Select(second => Math.Min((int)Knobs["load.users"], second * Knobs["load.spawn"]) / ThinkMean)]);

    // Each bin at its middle.
    private List<double> Seconds => [.. Bins.Select((_, bin) => (bin + 0.5) * BinSeconds)];
}
