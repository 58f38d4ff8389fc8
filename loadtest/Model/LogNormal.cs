using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Model;

/// <summary>A log-normal distribution of milliseconds.</summary>
/// <param name="Mu">Mean of ln(ms): ln of the median.</param>
/// <param name="Sigma">Standard deviation of ln(ms).</param>
public sealed record LogNormal(double Mu, double Sigma) : Times
{
    // The normal distribution is below so many standard deviations in 95 of 100 cases.
    private const double Z95 = 1.645;

    /// <summary>Milliseconds.</summary>
    public override double Mean => Math.Exp(Mu + Sigma * Sigma / 2);

    /// <param name="p50">Milliseconds that half of all take at most.</param>
    /// <param name="p95">Milliseconds that 95 % take at most.</param>
    public static LogNormal OfPercentiles(double p50, double p95) => new(Math.Log(p50), Math.Log(p95 / p50) / Z95);

    public override Times Longer(double factor) => new LogNormal(Mu + Math.Log(factor), Sigma);

    /// <summary>Milliseconds of one sample.</summary>
    public double Next(Random random)
    {
        // Box and Muller: two uniform numbers make a normal one. 1 − x, because 0 has no logarithm.
        var normal = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
        return Math.Exp(Mu + Sigma * normal);
    }

    internal override double Next(Chance chance) =>
        Sigma == 0 ? Math.Exp(Mu) : Math.Exp(Mu + Sigma * chance.NextNormal());
}
