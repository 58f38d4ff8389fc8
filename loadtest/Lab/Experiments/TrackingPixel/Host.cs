namespace DroneDelivery.Lab.Experiments;

/// <summary>One host: hits take its cores in the order in which they come.</summary>
internal sealed class Host(int cores, int queueLimit)
{
    private readonly double[] _freeAt = new double[cores];
    private int _hits;

    /// <summary>Takes a hit, unless it has too many already.</summary>
    /// <param name="cpuSeconds">Of one core.</param>
    /// <param name="done">When a core is done with it.</param>
    public bool TryTake(double now, double cpuSeconds, out double done)
    {
        done = now;
        if (_hits >= queueLimit)
            return false;
        _hits++;
        var core = Array.IndexOf(_freeAt, _freeAt.Min());
        done = _freeAt[core] = Math.Max(now, _freeAt[core]) + cpuSeconds;
        return true;
    }

    public void Answer() => _hits--;
}
