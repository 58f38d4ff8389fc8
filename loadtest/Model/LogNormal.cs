namespace DroneDelivery.Model;

/// <summary>A log-normal distribution of milliseconds.</summary>
/// <param name="Mu">Mean of ln(ms): ln of the median.</param>
/// <param name="Sigma">Standard deviation of ln(ms).</param>
public sealed record LogNormal(double Mu, double Sigma)
{
    /// <summary>Milliseconds.</summary>
    public double Mean => Math.Exp(Mu + Sigma * Sigma / 2);

    /// <summary>Milliseconds of one sample.</summary>
    public double Next(Random random)
    {
        // Box and Muller: two uniform numbers make a normal one. 1 − x, because 0 has no logarithm.
        var normal = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
        return Math.Exp(Mu + Sigma * normal);
    }
}
