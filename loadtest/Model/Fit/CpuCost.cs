using DroneDelivery.Model.Figures;

namespace DroneDelivery.Model.Fit;

/// <summary>What one request or message costs a service.</summary>
/// <param name="Error">Half the width of the interval in which it is with a probability of 95 %.</param>
/// <param name="Idle">Share of a core that the service's processes use without any request, all together.</param>
public sealed record CpuCost(double Milliseconds, double Error, double Idle, double Count)
{
    private const int FewestBins = 4;
    private const double Fewest = 30;

    /// <returns>Null: too little is known of the service.</returns>
    /// <param name="bins">Requests and milliseconds of CPU in equal spans of time.</param>
    public static CpuCost? Of(IReadOnlyCollection<(double Count, double Cpu)> bins, double binSeconds)
    {
        var (count, cpu) = (bins.Sum(bin => bin.Count), bins.Sum(bin => bin.Cpu));
        if (bins.Count < FewestBins || count < Fewest || cpu <= 0)
            return null;
        // Where processes that have nothing to do use no CPU, the quotient is more exact than a line. A line that only chance has
        // tilted moves the cost by a tenth, so an idle share has to be twice as certain as an interval.
        var certain = Repeats.Quantile(bins.Count - 2);
        return Line(bins, count, cpu) is { } line && line.Idle > 2 * certain * line.IdleError && line.Slope > 0
            ? new(line.Slope, certain * line.SlopeError, line.Idle / (1000 * binSeconds), count)
            : new(cpu / count, Repeats.Quantile(bins.Count - 1) * QuotientError(bins, count, cpu / count), 0, count);
    }

    private static (double Slope, double SlopeError, double Idle, double IdleError)? Line(
        IReadOnlyCollection<(double Count, double Cpu)> bins,
        double count,
        double cpu
    )
    {
        var n = bins.Count;
        var (meanCount, meanCpu) = (count / n, cpu / n);
        var spread = bins.Sum(bin => (bin.Count - meanCount) * (bin.Count - meanCount));
        if (spread == 0)
            return null;
        var slope = bins.Sum(bin => (bin.Count - meanCount) * (bin.Cpu - meanCpu)) / spread;
        var idle = meanCpu - slope * meanCount;
        var variance = bins.Sum(bin => Math.Pow(bin.Cpu - idle - slope * bin.Count, 2)) / (n - 2);
        return (
            slope,
            Math.Sqrt(variance / spread),
            idle,
            Math.Sqrt(variance * (1.0 / n + meanCount * meanCount / spread))
        );
    }

    /// <summary>Of the sum of all CPU over that of all requests, however these are spread over the bins.</summary>
    private static double QuotientError(
        IReadOnlyCollection<(double Count, double Cpu)> bins,
        double count,
        double cost
    ) => Math.Sqrt(bins.Count * bins.Sum(bin => Math.Pow(bin.Cpu - cost * bin.Count, 2)) / (bins.Count - 1)) / count;
}
