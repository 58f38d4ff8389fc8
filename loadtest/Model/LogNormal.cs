using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Model;

/// <summary>A log-normal distribution of milliseconds, with the mean and standard deviation of ln(ms).</summary>
public sealed record LogNormal(double Mu, double Sigma) : Times
{
    // 95 % of a normal distribution lies below this many standard deviations.
    private const double Z95 = 1.645;

    public override double Mean => Math.Exp(Mu + Sigma * Sigma / 2);

    /// <param name="p50">In milliseconds.</param>
    public static LogNormal OfPercentiles(double p50, double p95) => new(Math.Log(p50), Math.Log(p95 / p50) / Z95);

    public override Times Longer(double factor) => new LogNormal(Mu + Math.Log(factor), Sigma);

    public double Next(Random random)
    {
        // The Box–Muller transform. 1 − x, because the logarithm of 0 is undefined.
        var normal = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
        return Math.Exp(Mu + Sigma * normal);
    }

    internal override double Next(RandomSource random) =>
        Sigma == 0 ? Math.Exp(Mu) : Math.Exp(Mu + Sigma * random.NextNormal());
}
