namespace DroneDelivery.Lab.Tests.Measurement;

public sealed class FigureTests
{
    // 1 user until 10 s, and then 2 until 30 s.
    private static readonly StepProfile Profile = new(
        "test",
        "",
        StartUsers: 1,
        StepUsers: 1,
        StepSeconds: 10,
        MaxUsers: 2,
        DurationSeconds: 30,
        RequestEveryMilliseconds: 500,
        Jitter: 0
    );

    [Fact]
    public void Counter_between_two_samples_is_interpolated()
    {
        var series = new Series([At(0, incoming: 0), At(4, incoming: 40), At(5, incoming: 40)]);

        Assert.Equal(10, series.At(sample => sample.Queue.Incoming, 1));
        Assert.Equal(40, series.At(sample => sample.Queue.Incoming, 4.5));
        Assert.Equal(40, series.At(sample => sample.Queue.Incoming, 99));
        Assert.Equal(0, series.At(sample => sample.Queue.Incoming, -1));
    }

    [Fact]
    public void Last_third_of_the_load_starts_after_two_thirds()
    {
        var figures = FiguresOf(
            [At(0), At(10, completed: 100), At(20, completed: 100), At(30, completed: 130)],
            accepted: 130
        );

        Assert.Equal(3, figures["completed.lastThird"]);
    }

    [Fact]
    public void Expired_message_is_accounted_for() =>
        Assert.Equal(10, (QueueCounters.Zero with { Completed = 1, Expired = 2, Active = 3, DeadLetter = 4 }).Known);

    [Fact]
    public void Bins_contain_rates_over_the_bin_and_levels_at_its_end()
    {
        var series = new Series([
            At(0, incoming: 0),
            At(2.5, incoming: 10, completed: 5),
            At(5, incoming: 30, completed: 5),
            At(6, incoming: 30, completed: 5),
        ]);

        var bins = series.Bins(2.5, Profile.UsersAt);

        Assert.Equal(2, bins.Count);
        Assert.Equal([4, 8], bins.Select(bin => bin.Incoming));
        Assert.Equal([2, 0], bins.Select(bin => bin.Completed));
        Assert.Equal([5, 25], bins.Select(bin => bin.Backlog));
    }

    [Fact]
    public void Peak_is_the_best_5_s_and_plateau_covers_the_steady_state()
    {
        var figures = FiguresOf(
            [
                At(0),
                At(10, incoming: 50, outgoing: 50, completed: 40),
                At(30, incoming: 250, outgoing: 90, completed: 80),
                At(40, incoming: 250, outgoing: 500, completed: 480),
            ],
            accepted: 250
        );

        Assert.Equal(10, figures["incoming.peak"]);
        Assert.Equal(10, figures["incoming.plateau"]);
        Assert.Equal(2, figures["outgoing.plateau"]);
        Assert.Equal(5, figures["inOut.plateau"]);
        Assert.Equal(4, figures["completed.peak"]);
        Assert.Equal(2, figures["completed.plateau"]);
        Assert.Equal(80, figures["completed.underLoad"]);
        Assert.Equal(170, figures["backlog.loadEnd"]);
        Assert.Equal(0.36, figures["outgoing.perSent"]);
    }

    [Theory]
    [InlineData(4.0, null, 3.9, false)]
    [InlineData(4.0, null, 4.0, true)]
    [InlineData(null, 0.0, 1.0, false)]
    [InlineData(13.0, 19.0, 19.0, true)]
    [InlineData(13.0, 19.0, 19.2, false)]
    [InlineData(null, null, double.NaN, false)]
    public void Range_includes_its_bounds_but_not_NaN(double? min, double? max, double value, bool holds) =>
        Assert.Equal(holds, new Band(min, max).Contains(value));

    private static IReadOnlyDictionary<string, double> FiguresOf(IReadOnlyList<Sample> samples, long accepted)
    {
        var load = NoLoad.ResultOf("test", DateTimeOffset.UnixEpoch, accepted);
        return FigureTable.Of(new Measured(new Series(samples), Profile, 2.5, load, QueueCounters.Zero, 0, 0, 0));
    }

    private static Sample At(double seconds, long incoming = 0, long outgoing = 0, long completed = 0) =>
        new(
            seconds,
            QueueCounters.Zero with
            {
                Incoming = incoming,
                Outgoing = outgoing,
                Completed = completed,
                Active = incoming - completed,
            },
            0
        );
}
