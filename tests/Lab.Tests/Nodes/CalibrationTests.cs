namespace DroneDelivery.Lab.Tests.Nodes;

public sealed class CalibrationTests
{
    [Fact]
    public void Lateness_counts_all_responses_and_ranks_the_last_ones()
    {
        var counts = new LatenessCounts();
        Assert.Equal(new(0, 0, 0, 0, 0, 0), counts.Read());
        foreach (var milliseconds in (int[])[5, .. Enumerable.Repeat(1, 9_999), 3])
            counts.Add(TimeSpan.FromMilliseconds(milliseconds));

        Assert.Equal(new(10_001, 1.0002, 1, 1, 1, 3), counts.Read());
    }

    [Fact]
    public void CPU_share_of_replaced_nodes_counts_from_their_start()
    {
        var start = DateTimeOffset.UnixEpoch;
        var earlier = new NodeReading(start, start.AddSeconds(-5), 2, [TimeSpan.FromSeconds(3)]);
        var now = new NodeReading(start.AddSeconds(10), start.AddSeconds(8), 2, [TimeSpan.FromSeconds(1)]);

        Assert.Equal([0.25], now.Since(earlier));
    }

    private static readonly DeclaredNodes Declared = DeclaredEnvironment.Load("azure-2020").Nodes!;

    [Fact]
    public void Declared_nodes_have_the_published_capacity()
    {
        Assert.Equal(70.77, Calibration.CapacityOf(Declared, Stage5(nodes: 6)), 0.01);
        Assert.Equal(70.77 / 1.15, Calibration.CapacityOf(Declared.Costing(1.15), Stage5(nodes: 6)), 0.01);
        Assert.Equal(1_000 * 1.84 / 96, Calibration.CapacityOf(Declared, Stage5(nodes: 1)), 0.01);
    }

    [Theory]
    [InlineData(70.8, null)]
    [InlineData(67.3, null)]
    [InlineData(67.1, "reached 67.1 deliveries/s instead of 70.8")]
    [InlineData(74.5, "reached 74.5 deliveries/s instead of 70.8")]
    public void Capacity_off_by_more_than_5_percent_invalidates_the_run(double measured, string? reason)
    {
        var why = new Calibration(70.8, measured, new(0, 0, 0, 0, 0, 0), 0).WhyVoid;

        Assert.Equal(reason is null, why is null);
        Assert.Contains(reason ?? "", why ?? "", StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(new[] { 70.8, 65.5 }, 1, 70.8)]
    [InlineData(new[] { 65.5, 70.8, 65.5 }, 2, 70.8)]
    [InlineData(new[] { 65.5, 65.5, 70.8 }, 3, 70.8)]
    [InlineData(new[] { 65.5, 64.5, 66.5, 70.8 }, 3, 66.5)]
    public async Task Calibration_is_repeated_up_to_three_times(double[] rates, int times, double measured)
    {
        var measurements = new Queue<double>(rates);
        var said = new List<string>();

        var calibration = await Calibration.RepeatAsync(
            () => Task.FromResult(new Calibration(70.8, measurements.Dequeue(), new(0, 0, 0, 0, 0, 0), 0)),
            said.Add
        );

        Assert.Equal((measured, rates.Length - times), (calibration.Measured, measurements.Count));
        string[] expected = calibration.WhyVoid is { } reason
            ? [$"{reason} The run continues, but its result will be void."]
            : [];
        Assert.Equal(expected, said);
    }

    private static Placement Stage5(int nodes) =>
        Placement.Of(PlacementRule.RoundRobin, nodes, service => Service.Backends.Contains(service) ? 6 : 3);
}
