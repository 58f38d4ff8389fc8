namespace DroneDelivery.Lab.Tests.Nodes;

public sealed class MachineCpuTests
{
    [Fact]
    public void CPU_share_is_the_non_idle_time_between_two_readings()
    {
        var texts = new Queue<string>([
            "cpu  100 0 50 800 50 0 0 0 7 0\ncpu0 1 2 3 4\n",
            "cpu  160 0 60 810 60 5 3 2 9 0\ncpu0 1 2 3 4\n",
        ]);
        var machine = new MachineCpu(texts.Dequeue);

        var earlier = machine.Read()!;

        Assert.Equal(0.8, machine.Read()!.Since(earlier), 6); // 80 of 100: iowait counts as idle, steal does not.
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("intr 1 2 3")]
    public void CPU_share_is_unknown_without_kernel_statistics(string? stat)
    {
        Assert.Null(new MachineCpu(() => stat).Read());
        Assert.Equal(new MachineCpuReading(3, 4), new MachineCpu(() => null, () => new(3, 4)).Read());
    }

    [Fact]
    public void Reading_contains_stolen_time_when_the_kernel_reports_it()
    {
        var texts = new Queue<string>(["cpu  100 0 50 800 50 0 0 10\n", "cpu  160 0 60 810 60 0 0 20\n"]);
        var machine = new MachineCpu(texts.Dequeue);

        var earlier = machine.Read()!;

        Assert.Equal(0.1, machine.Read()!.StolenSince(earlier), 6);
    }

    [Theory]
    [InlineData("some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\nfull avg10=0.00 total=0\n", 1.5)]
    [InlineData("", null)]
    [InlineData("some avg10=0.00", null)]
    [InlineData(null, null)]
    public void Reading_contains_the_CPU_pressure_when_the_kernel_reports_it(string? text, double? seconds)
    {
        var machine = new MachineCpu(() => "cpu  1 2 3 4\n", pressure: () => text);

        Assert.Equal(seconds, machine.Read()!.Pressure?.TotalSeconds);
    }

    [Fact]
    public void Counter_that_wraps_around_continues()
    {
        var sums = new TickSums(2);

        Assert.Equal([0, 0], sums.Add([uint.MaxValue - 1, 10]));
        Assert.Equal([5, 1], sums.Add([3, 11]));
        Assert.Equal([6, 1], sums.Add([4, 11]));
    }
}
