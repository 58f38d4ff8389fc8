using DroneDelivery.Model.Fit;

namespace DroneDelivery.Lab.Tests.Calibrations;

public sealed class CpuCostTests
{
    private const double Cost = 20;

    [Theory]
    [InlineData(4)]
    [InlineData(6)]
    [InlineData(40)]
    public void The_true_cost_is_within_its_interval_as_often_as_that_says(int bins)
    {
        const int Samples = 400;
        var costs = Enumerable.Range(0, Samples).Select(seed => CpuCost.Of(Bins(bins, seed), binSeconds: 5)!).ToList();

        // 95 of 100, and what chance does to 400. Where the line is taken for idle processes, which there are none of, it is wider.
        Assert.InRange(
            costs.Count(cost => Math.Abs(cost.Milliseconds - Cost) <= cost.Error),
            0.91 * Samples,
            0.99 * Samples
        );
        Assert.InRange(costs.Count(cost => cost.Idle > 0), 0, 0.02 * Samples);
    }

    [Fact]
    public void A_sample_after_a_gap_says_nothing_about_the_gap()
    {
        var start = new DateTimeOffset(2026, 11, 20, 8, 0, 0, TimeSpan.Zero);
        var items = new List<TelemetryItem>();
        for (var second = 0; second < 3600; second++)
        {
            items.Add(Item(ItemKind.Request, second, 12));
            // One request a second that costs 20 ms; nobody counts for 20 minutes.
            if (second % 10 == 0 && second is < 1200 or > 2400)
                items.Add(Item(ItemKind.ProcessCpu, second, 100 * Cost / 1000));
        }

        Assert.Equal(Cost, new CpuBins(items).CostOf("package")!.Milliseconds, 0.5);

        TelemetryItem Item(ItemKind kind, int second, double value) =>
            new(kind, start.AddSeconds(second), "package", "package-0", "PUT", "", value, Success: true);
    }

    /// <summary>Between 20 and 200 requests, and as much noise in each bin.</summary>
    private static List<(double Count, double Cpu)> Bins(int count, int seed)
    {
        var random = new Random(seed);
        return
        [
            .. Enumerable
                .Range(0, count)
                .Select(_ => random.Next(20, 200))
                .Select(n => ((double)n, Cost * n + 200 * Normal(random))),
        ];
    }

    private static double Normal(Random random) =>
        Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
}
