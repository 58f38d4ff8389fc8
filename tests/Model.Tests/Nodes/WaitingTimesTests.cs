using DroneDelivery.Model.Simulation.Nodes;

namespace DroneDelivery.Model.Tests.Nodes;

/// <summary>A node against the textbook.</summary>
public sealed class WaitingTimesTests
{
    private const int Holds = 3_000_000;
    private const double MeanMilliseconds = 10;

    [Theory]
    [InlineData(1, 0.5)]
    [InlineData(1, 0.7)]
    [InlineData(2, 0.7)]
    [InlineData(4, 0.8)]
    public void Exponential_holds_wait_as_in_M_M_c(int servers, double utilisation)
    {
        var offered = servers * utilisation;
        var expected = Formulas.ErlangC(servers, offered) * MeanMilliseconds / (servers - offered);

        var (wait, busy) = Play(servers, utilisation, chance => MeanMilliseconds * chance.NextExponential());

        Settings.Near(expected, wait, 0.015);
        Settings.Near(utilisation, busy);
    }

    [Theory]
    [InlineData(0.3)]
    [InlineData(0.6)]
    public void Log_normal_holds_wait_as_in_M_G_1(double utilisation)
    {
        var latency = new LogNormal(Math.Log(MeanMilliseconds) - 0.5 * 0.5 / 2, 0.5);
        var meanOfSquares = MeanMilliseconds * MeanMilliseconds * Math.Exp(0.5 * 0.5);
        // Pollaczek and Khinchine.
        var expected = utilisation / MeanMilliseconds * meanOfSquares / (2 * (1 - utilisation));

        var (wait, busy) = Play(1, utilisation, chance => chance.Next(latency));

        Settings.Near(expected, wait, 0.015);
        Settings.Near(utilisation, busy);
    }

    [Fact]
    public void What_is_promised_for_later_is_not_spent_yet()
    {
        var node = new Node(new(1, 1), start: 0, phase: 0);
        node.Hold(0, Time.FromSeconds(10));

        Assert.Equal(4, Time.Seconds(node.SpentUntil(Time.FromSeconds(4))));
    }

    /// <returns>Mean wait in milliseconds, and the share of the servers' time that was spent.</returns>
    private static (double Wait, double Busy) Play(int servers, double utilisation, Func<Chance, double> cost)
    {
        var chance = new Chance(7);
        var node = new Node(new(1, servers), start: 0, phase: 0);
        var interval = MeanMilliseconds / (servers * utilisation);
        var (now, waited) = (0.0, 0.0);
        for (var i = 0; i < Holds; i++)
        {
            now += interval * chance.NextExponential();
            var (at, hold) = (Time.FromMilliseconds(now), Time.FromMilliseconds(cost(chance)));
            waited += Time.Milliseconds(node.Hold(at, hold) - at - hold);
        }

        return (waited / Holds, Time.Milliseconds(node.SpentUntil(Time.FromMilliseconds(now))) / now / servers);
    }
}
