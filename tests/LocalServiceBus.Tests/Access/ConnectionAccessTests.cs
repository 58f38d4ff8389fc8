using DroneDelivery.LocalServiceBus.Access;

namespace DroneDelivery.LocalServiceBus.Tests.Access;

public sealed class ConnectionAccessTests
{
    [Fact]
    public void Clock_set_back_does_not_cause_a_busy_timer()
    {
        var (clock, hour) = (new ManualTimeProvider(), TimeSpan.FromHours(1));
        var time = new FaultyTimeProvider(clock);
        var rules = new AccessRules([AccessRule.WellKnown], areRequired: true, time);
        var ended = 0;
        using var access = new ConnectionAccess(rules, login: null, new Defects(), _ => { }, () => ended++);
        access.Start();
        time.Step(-hour);
        clock.Advance(ConnectionAccess.TokenTimeout);
        var looks = time.Looks;
        clock.Advance(TimeSpan.FromSeconds(1));
        Assert.InRange(time.Looks - looks, 0, 10);

        clock.Advance(hour);
        Assert.Equal(1, ended);
    }
}
