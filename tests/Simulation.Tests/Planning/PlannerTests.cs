using DroneDelivery.Simulation.Planning;

namespace DroneDelivery.Simulation.Tests.Planning;

/// <summary>The formulas against the simulation.</summary>
public sealed class PlannerTests
{
    private static readonly Setting Loaded = Settings.Small with
    {
        Users = new(Start: 40, Step: 1, StepSeconds: 1, Most: 40, DurationSeconds: 100, EveryMilliseconds: 500, Jitter: 0.25),
        Ingestion = new([0], CpuMilliseconds: 15),
    };

    [Theory]
    [InlineData(1, 0, "handlers: 1 × 1")]
    [InlineData(3, 30, "handlers: 1 × 3")]
    [InlineData(40, 100, "CPU of node 1")]
    [InlineData(40, 2, "handlers: 1 × 2")]
    public void What_binds_is_the_rate_of_the_simulation(int calls, int prefetch, string binds)
    {
        var setting = Loaded with { Handling = new(calls, prefetch), Queue = new(1000, 3) };

        var plan = Planner.Of(setting);

        Assert.Equal(binds, plan.Limits[0].What);
        // Handlers that call at the same time wait for CPUs a little; that is not in the formula.
        Settings.Near(plan.Rate, Simulator.Run(setting, 3).Rate(20, 100), 0.06);
    }

    [Fact]
    public void Backlog_and_drain_are_those_of_the_simulation()
    {
        var setting = Loaded with { Handling = new(40, 100), Queue = new(1000, 3), ObserveSeconds = 10_000 };

        var plan = Planner.Of(setting);

        var trace = Simulator.Run(setting, 3);
        var end = trace.Moments.First(moment => moment.At >= 100);
        Settings.Near(plan.Backlog, end.Active + end.Locked, 0.03);
        Settings.Near(plan.DrainSeconds, trace.ObservedUntil - 100, 0.05);
    }

    [Theory]
    [InlineData(0.9, false)]
    [InlineData(1.1, true)]
    public void Locks_are_lost_if_more_is_prefetched_than_is_handled_during_a_lock(double share, bool lost)
    {
        var setting = Settings.Backlogged with { Handling = new(4, 100), Queue = new(20, 3, 10_000), Nodes = new(3, 16) };
        var largest = Planner.Of(setting).LargestPrefetch;
        var prefetched = setting with { Handling = setting.Handling with { Prefetch = (int)(largest * share) } };

        Assert.Equal(lost, Planner.Of(prefetched).LosesLocks);
        Assert.Equal(lost, Simulator.Run(prefetched, 3).Moments[^1].LateCompletes > 0);
    }

    [Fact]
    public void A_prefetch_that_exceeds_the_limit_by_more_than_a_lot_collapses()
    {
        var setting = Settings.Backlogged with { Handling = new(4, 800), Queue = new(20, 3, 15_000), Nodes = new(3, 16) };

        Assert.True(Planner.Of(setting).Collapses);
        Assert.Equal(0, Simulator.Run(setting, 3).Rate(60, 200));
    }

    [Fact]
    public void The_safe_prefetch_is_half_of_the_limit_and_one_for_each_handler_at_least()
    {
        var plan = Planner.Of(Loaded with { Handling = new(4, 100), Queue = new(20, 3) });
        Assert.Equal((int)(plan.LargestPrefetch / 2), plan.SafePrefetch);
        Assert.Equal(400, Planner.Of(Loaded with { Handling = new(400, 500), Queue = new(1, 3) }).SafePrefetch);
    }
}
