namespace DroneDelivery.Model.Tests;

public sealed class SimulationLimitsTests
{
    [Fact]
    public void Simulation_over_its_event_limit_is_aborted()
    {
        Assert.Throws<TooManyEventsException>(() => Simulator.Run(Settings.Small, limits: new(Events: 1000)));

        Assert.Equal(
            Simulator.Run(Settings.Small).Process,
            Simulator.Run(Settings.Small, limits: new(Events: 1_000_000)).Process
        );
    }

    [Fact]
    public void Simulation_ends_when_it_is_canceled()
    {
        using var left = new CancellationTokenSource();
        var log = new LeavingLog(left);

        Assert.Throws<OperationCanceledException>(() =>
            Simulator.Run(Settings.Small, 1, log, new(CancellationToken: left.Token))
        );

        Assert.InRange(log.Arrivals.Count, 100, 400);
    }

    /// <summary>Cancels after a hundred messages.</summary>
    private sealed class LeavingLog(CancellationTokenSource left) : EventLog
    {
        public override void Arrived(long at, int message)
        {
            base.Arrived(at, message);
            if (Arrivals.Count == 100)
                left.Cancel();
        }
    }
}
