namespace DroneDelivery.Lab.Experiments;

/// <summary>What came of the load.</summary>
/// <param name="Seconds">Of the load.</param>
/// <param name="Latencies">Seconds of each answered request, waiting for an instance included.</param>
/// <param name="ReadyAt">When each instance took its first request, in order; seconds.</param>
internal sealed record ScaleResult(double Seconds, IReadOnlyList<float> Latencies, IReadOnlyList<double> ReadyAt)
{
    private const double GigabytesOfAnInstance = 2, LeastBilledSeconds = 1, BilledStep = 0.1;

    private readonly float[] _sorted = [.. Latencies.Order()];

    public double RequestsPerSecond => Latencies.Count / Seconds;

    /// <summary>When so large a share of all instances was there; seconds, or not a number where there never was one.</summary>
    public double SecondsTo(double share) => ReadyAt.Count == 0 ? double.NaN : ReadyAt[(int)Math.Ceiling(share * ReadyAt.Count) - 1];

    /// <summary>Memory of each instance from its first request to the end of the load, in the steps that are billed.</summary>
    public double GigabyteSeconds => GigabytesOfAnInstance * ReadyAt.Sum(ready => Billed(Seconds - ready));

    /// <returns>Milliseconds.</returns>
    public double Percentile(double share) => _sorted.Length == 0 ? double.NaN : _sorted[(int)((_sorted.Length - 1) * share)] * 1000.0;

    /// <summary>For each second: requests that each instance answered in it.</summary>
    public IReadOnlyList<IReadOnlyList<int>> Answers { get; init; } = [];

    private static double Billed(double seconds) => Math.Max(LeastBilledSeconds, Math.Ceiling(seconds / BilledStep) * BilledStep);
}
