namespace DroneDelivery.Model.Figures;

/// <summary>Nearest-rank percentiles; NaN if there are no values.</summary>
public sealed record Percentiles(double P50, double P95, double P99)
{
    /// <summary>Returns the median; for an even number of values, the mean of the middle two.</summary>
    public static double Median(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }

    public static Percentiles Of(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return new(Of(sorted, 0.50), Of(sorted, 0.95), Of(sorted, 0.99));
    }

    /// <param name="sorted">In ascending order.</param>
    public static double Of(double[] sorted, double share) =>
        sorted.Length == 0 ? double.NaN : sorted[(int)Math.Ceiling(share * sorted.Length) - 1];
}
