namespace DroneDelivery.Lab.Tests.Report;

public sealed class BusyTimeTests
{
    [Fact]
    public void A_minute_in_the_queue_does_not_squeeze_what_is_done_before_and_after()
    {
        var time = new BusyTime([At(0, 10), At(60_000, 250), At(60_100, 50)]);

        Assert.Equal(59_940, time.LeftOut);
        Assert.Equal(310, time.Length);
        Assert.Equal((0, 5, 60, 160), (time.Of(0), time.Of(5), time.Of(60_000), time.Of(60_100)));
    }

    [Fact]
    public void Half_a_second_is_no_long_wait()
    {
        var time = new BusyTime([At(0, 10), At(600, 10)]);

        Assert.Equal((0, 610), (time.LeftOut, time.Length));
    }

    [Fact]
    public void A_pause_inside_of_a_step_is_no_wait()
    {
        var time = new BusyTime([At(0, 5_000), At(4_000, 10), At(4_990, 10)]);

        Assert.Equal((0, 5_000, 4_000), (time.LeftOut, time.Length, time.Of(4_000)));
    }

    private static Step At(double start, double duration) => new()
    {
        Depth = 0,
        Start = start,
        Duration = duration,
        Kind = "request",
        Role = "workflow",
        Name = "",
        Result = "",
        Failed = false,
        Message = "",
    };
}
