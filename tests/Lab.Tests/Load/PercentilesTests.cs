namespace DroneDelivery.Lab.Tests.Load;

/// <summary>By the nearest rank: a percentile is one of the values.</summary>
public sealed class PercentilesTests
{
    [Theory]
    [InlineData(1, 1, 1, 1)]
    [InlineData(2, 1, 2, 2)]
    [InlineData(20, 10, 19, 20)]
    [InlineData(100, 50, 95, 99)]
    public void Each_is_the_smallest_value_that_so_large_a_share_does_not_exceed(
        int count,
        double p50,
        double p95,
        double p99
    ) =>
        Assert.Equal(
            new Percentiles(p50, p95, p99),
            Percentiles.Of(Enumerable.Range(1, count).Select(value => (double)value).Reverse())
        );

    [Fact]
    public void Of_no_values_there_is_none() => Assert.Equal(double.NaN, Percentiles.Of([]).P95);

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 1.5)]
    [InlineData(5, 3)]
    public void The_median_of_an_even_number_of_values_is_halfway_between_two(int count, double expected) =>
        Assert.Equal(expected, Percentiles.Median(Enumerable.Range(1, count).Select(value => (double)value).Reverse()));
}
