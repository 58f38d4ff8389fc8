namespace DroneDelivery.Model.Figures;

/// <summary>Repeated measurements, and how far their mean may be from the true one: Student's t, at 95 %.</summary>
public sealed record Repeats(IReadOnlyList<double> Values)
{
    // Two-sided 95 %, for 1, 2, 3… degrees of freedom; from 30 on the normal distribution is near enough.
    private static readonly double[] T =
    [
        12.706,
        4.303,
        3.182,
        2.776,
        2.571,
        2.447,
        2.365,
        2.306,
        2.262,
        2.228,
        2.201,
        2.179,
        2.160,
        2.145,
        2.131,
        2.120,
        2.110,
        2.101,
        2.093,
        2.086,
        2.080,
        2.074,
        2.069,
        2.064,
        2.060,
        2.056,
        2.052,
        2.048,
        2.045,
    ];

    private const double Normal = 1.960;

    public int Count => Values.Count;

    public double Mean => Values.Average();

    /// <summary>Of single values; not a number for one alone.</summary>
    public double Variance =>
        Count < 2 ? double.NaN : Values.Sum(value => (value - Mean) * (value - Mean)) / (Count - 1);

    /// <summary>Half the width of the interval that has the true mean in 95 of 100 cases; not a number for one value alone.</summary>
    public double HalfWidth => Count < 2 ? double.NaN : Quantile(Count - 1) * Math.Sqrt(Variance / Count);

    /// <summary>Student's t for an interval of 95 %.</summary>
    public static double Quantile(int freedom) => freedom <= T.Length ? T[Math.Max(1, freedom) - 1] : Normal;
}
