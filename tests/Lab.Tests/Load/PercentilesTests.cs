namespace DroneDelivery.Lab.Tests.Load;

/// <summary>Percentiles by nearest rank: each is one of the values.</summary>
public sealed class PercentilesTests
{
    [Theory]
    [InlineData(1, 1, 1, 1)]
    [InlineData(2, 1, 2, 2)]
    [InlineData(20, 10, 19, 20)]
    [InlineData(100, 50, 95, 99)]
    public void Percentile_is_the_smallest_value_that_covers_its_share(int count, double p50, double p95, double p99) =>
        Assert.Equal(
            new Percentiles(p50, p95, p99),
            Percentiles.Of(Enumerable.Range(1, count).Select(value => (double)value).Reverse())
        );

    [Fact]
    public void Percentile_of_no_values_is_NaN() => Assert.Equal(double.NaN, Percentiles.Of([]).P95);

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 1.5)]
    [InlineData(5, 3)]
    public void Median_of_an_even_number_of_values_is_their_midpoint(int count, double expected) =>
        Assert.Equal(expected, Percentiles.Median(Enumerable.Range(1, count).Select(value => (double)value).Reverse()));
}
