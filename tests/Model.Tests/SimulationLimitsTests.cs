using DroneDelivery.Model.Simulation.Queue;

namespace DroneDelivery.Model.Tests;

/// <summary>Where a simulation is given up.</summary>
public sealed class SimulationLimitsTests
{
    [Fact]
    public void A_simulation_with_more_events_than_its_limit_is_given_up()
    {
        Assert.Throws<TooManyEventsException>(() => Simulator.Run(Settings.Small, limits: new(Events: 1000)));

        Assert.Equal(Simulator.Run(Settings.Small).Process, Simulator.Run(Settings.Small, limits: new(Events: 1_000_000)).Process);
    }

    [Fact]
    public void A_simulation_ends_when_nobody_waits_for_it_any_more()
    {
        using var left = new CancellationTokenSource();
        var log = new LeavingLog(left);

        Assert.Throws<OperationCanceledException>(() => Simulator.Run(Settings.Small, 1, log, new(Left: left.Token)));

        Assert.InRange(log.Arrived, 100, 400);
    }

    /// <summary>Goes away after a hundred messages.</summary>
    private sealed class LeavingLog(CancellationTokenSource left) : ISimulationLog
    {
        public int Arrived { get; private set; }

        void ISimulationLog.Arrived(long at, int message)
        {
            if (++Arrived == 100)
                left.Cancel();
        }

        public void HandedOut(long at, int receiver, int message)
        {
        }

        public void Began(long at, int handler, int message)
        {
        }

        public void Settled(long at, int message, Settlement settlement, bool accepted)
        {
        }

        public void LockEnded(long at, int message)
        {
        }
    }
}
