namespace DroneDelivery.Model.Simulation.Workflow;

/// <summary>A histogram of processing times in milliseconds, including settlement.</summary>
internal sealed class ProcessTimes
{
    private const int Longest = 120_000;
    private readonly int[] _counts = new int[Longest + 1];
    private double _sum;
    private long _count;

    public double Mean => _count == 0 ? double.NaN : _sum / _count;

    public void Add(long time)
    {
        var milliseconds = Time.Milliseconds(time);
        _sum += milliseconds;
        _count++;
        _counts[(int)Math.Min(Longest, milliseconds)]++;
    }

    public double Percentile(double share)
    {
        var below = 0L;
        for (var milliseconds = 0; milliseconds <= Longest && _count > 0; milliseconds++)
        {
            below += _counts[milliseconds];
            if (below >= share * _count)
                return milliseconds + 0.5;
        }

        return double.NaN;
    }
}
