using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// The lateness of recent responses, in milliseconds; negative if early. It delays requests without lowering a node's capacity.
/// </summary>
internal sealed record Lateness(long Answers, double Mean, double P50, double P95, double P99, double Max);

internal sealed class LatenessCounts
{
    /// <summary>The maximum lateness on an idle machine.</summary>
    public static readonly TimeSpan Late = TimeSpan.FromMilliseconds(5);

    private const int Kept = 10_000;

    private readonly Queue<double> _milliseconds = [];
    private readonly Lock _lock = new();
    private long _answers;
    private long _lateAnswers;

    public void Add(TimeSpan lateness)
    {
        lock (_lock)
        {
            _answers++;
            if (lateness > Late)
                _lateAnswers++;
            if (_milliseconds.Count == Kept)
                _milliseconds.Dequeue();
            _milliseconds.Enqueue(lateness.TotalMilliseconds);
        }
    }

    public Lateness Read()
    {
        lock (_lock)
        {
            double[] known = [.. _milliseconds.DefaultIfEmpty(0)];
            var ranks = Percentiles.Of(known);
            return new(_answers, known.Average(), ranks.P50, ranks.P95, ranks.P99, known.Max());
        }
    }

    public (long Answers, long Late) Count()
    {
        lock (_lock)
            return (_answers, _lateAnswers);
    }
}
