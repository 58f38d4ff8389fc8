namespace DroneDelivery.Model.Simulation;

/// <summary>A random number generator (xoshiro256**) with the same sequence for a seed on any machine.</summary>
internal sealed class RandomSource
{
    private ulong _a,
        _b,
        _c,
        _d;
    private double _spare = double.NaN;

    public RandomSource(int seed)
    {
        var state = unchecked((ulong)seed * 0x9E3779B97F4A7C15);
        (_a, _b, _c, _d) = (Spread(ref state), Spread(ref state), Spread(ref state), Spread(ref state));
    }

    public double NextUniform() => (Next() >> 11) * (1.0 / (1UL << 53));

    public int NextIndex(int count) => (int)(NextUniform() * count);

    public double NextExponential() => -Math.Log(1 - NextUniform());

    public double Next(Times times) => times.Next(this);

    /// <summary>
    /// Draws from the standard normal distribution. Uses the Box–Muller transform, which makes two samples of two uniform ones.
    /// </summary>
    public double NextNormal()
    {
        if (!double.IsNaN(_spare))
        {
            var spare = _spare;
            _spare = double.NaN;
            return spare;
        }

        var radius = Math.Sqrt(-2 * Math.Log(1 - NextUniform()));
        var (sin, cos) = Math.SinCos(2 * Math.PI * NextUniform());
        _spare = radius * sin;
        return radius * cos;
    }

    private ulong Next()
    {
        var result = ulong.RotateLeft(_b * 5, 7) * 9;
        var shifted = _b << 17;
        _c ^= _a;
        _d ^= _b;
        _b ^= _c;
        _a ^= _d;
        _c ^= shifted;
        _d = ulong.RotateLeft(_d, 45);
        return result;
    }

    private static ulong Spread(ref ulong state)
    {
        unchecked
        {
            var z = state += 0x9E3779B97F4A7C15;
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
            return z ^ (z >> 31);
        }
    }
}
