namespace DroneDelivery.Lab.Tests.Load;

public sealed class ProfileTests
{
    private static readonly StepProfile Step40 = StepProfile.Load("step-40");

    [Theory]
    [InlineData(-0.1, 0)]
    [InlineData(0, 2)]
    [InlineData(14.9, 2)]
    [InlineData(15, 4)]
    [InlineData(284.9, 38)]
    [InlineData(285, 40)]
    [InlineData(479.9, 40)]
    [InlineData(480, 0)]
    public void Users_step_up_to_forty_and_stop_at_the_end(double seconds, int users) =>
        Assert.Equal(users, Step40.UsersAt(seconds));

    [Fact]
    public void Start_times_match_the_number_of_users() =>
        Assert.All([0.0, 7, 15, 100, 284, 285, 400], at =>
            Assert.Equal(Step40.UsersAt(at), Enumerable.Range(0, 40).Count(user => Step40.StartOf(user) <= at))
        );

    [Fact]
    public void Intervals_stay_within_the_jitter_and_depend_on_the_seed()
    {
        double[] Intervals(int seed, int user)
        {
            var pace = new UserPace(Step40, seed, user);
            return [.. Enumerable.Range(0, 2000).Select(_ => pace.Next().TotalMilliseconds)];
        }

        var intervals = Intervals(1, 0);

        Assert.All(intervals, interval => Assert.InRange(interval, 375, 625));
        Assert.InRange(intervals.Average(), 490, 510);
        Assert.Equal(intervals, Intervals(1, 0));
        Assert.NotEqual(intervals, Intervals(1, 1));
        Assert.NotEqual(intervals, Intervals(2, 0));
    }
}
