namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// How late answers went out, in milliseconds after they were due; negative is early. It delays single requests, and takes nothing from a
/// node's capacity.
/// </summary>
/// <param name="Answers">How many.</param>
internal sealed record Lateness(long Answers, double Mean, double P50, double P95, double P99, double Max);

/// <summary>Counts lateness in steps of 0.1 ms. Thread-safe.</summary>
internal sealed class LatenessCounts
{
    private const double Step = 0.1, Lowest = -5, Highest = 200;
    private readonly long[] _counts = new long[(int)((Highest - Lowest) / Step) + 1];
    private readonly Lock _lock = new();
    private long _answers;
    private double _sum, _max = double.NegativeInfinity;

    public void Add(TimeSpan lateness)
    {
        var milliseconds = lateness.TotalMilliseconds;
        lock (_lock)
        {
            _counts[(int)((Math.Clamp(milliseconds, Lowest, Highest) - Lowest) / Step)]++;
            _answers++;
            _sum += milliseconds;
            _max = Math.Max(_max, milliseconds);
        }
    }

    public Lateness Read()
    {
        lock (_lock)
        {
            return _answers == 0
                ? new(0, 0, 0, 0, 0, 0)
                : new(_answers, _sum / _answers, Quantile(0.5), Quantile(0.95), Quantile(0.99), _max);
        }
    }

    private double Quantile(double share)
    {
        var seen = 0L;
        for (var i = 0; i < _counts.Length; i++)
        {
            seen += _counts[i];
            if (seen >= share * _answers)
                return Math.Min(Lowest + (i + 1) * Step, _max);
        }

        return _max;
    }
}
