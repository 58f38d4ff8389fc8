namespace DroneDelivery.Model.Figures;

/// <summary>Percentiles by nearest rank; not a number when there is nothing to rank.</summary>
public sealed record Percentiles(double P50, double P95, double P99)
{
    /// <summary>Of an even number of values: halfway between the two in the middle.</summary>
    /// <param name="values">At least one.</param>
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

    /// <param name="sorted">The smallest first.</param>
    public static double Of(double[] sorted, double share) =>
        sorted.Length == 0 ? double.NaN : sorted[(int)Math.Ceiling(share * sorted.Length) - 1];
}
