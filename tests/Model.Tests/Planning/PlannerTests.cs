using DroneDelivery.Model.Planning;

namespace DroneDelivery.Model.Tests.Planning;

public sealed class PlannerTests
{
    private static readonly Setting Loaded = Settings.Small with
    {
        Users = new(
            Start: 40,
            Step: 1,
            StepSeconds: 1,
            Most: 40,
            DurationSeconds: 100,
            EveryMilliseconds: 500,
            Jitter: 0.25
        ),
        Ingestion = new([0], Cpu: 15),
    };

    [Theory]
    [InlineData(1, 0, "handlers: 1 × 1", LimitKind.Calls)]
    [InlineData(3, 30, "handlers: 1 × 3", LimitKind.Calls)]
    [InlineData(40, 100, "CPU of node 1", LimitKind.Cpu)]
    [InlineData(40, 2, "handlers: 1 × 2", LimitKind.Prefetch)]
    public void What_binds_is_the_rate_of_the_simulation_and_CPU_is_next_behind_it(
        int calls,
        int prefetch,
        string what,
        LimitKind kind
    )
    {
        var setting = Loaded with { Handling = new(calls, prefetch), Queue = new(1000, 3) };

        var plan = Planner.Of(setting);

        Assert.Equal((what, kind, LimitKind.Cpu), (plan.Limits[0].What, plan.Binds.Kind, plan.Next!.Kind));
        Assert.True(plan.Next.Rate > plan.Binds.Rate);
        Assert.Equal(plan.Binds.Rate, plan.Sustained);
        // Handlers that call at the same time wait for CPUs a little; that is not in the formula.
        Settings.Near(plan.Rate, Simulator.Run(setting, 3).Rate(20, 100), 0.06);
    }

    [Fact]
    public void Backlog_and_drain_are_those_of_the_simulation()
    {
        var setting = Loaded with { Handling = new(40, 100), Queue = new(1000, 3), ObserveSeconds = 10_000 };

        var plan = Planner.Of(setting);

        var trace = Simulator.Run(setting, 3);
        var end = trace.Samples.First(sample => sample.At >= 100);
        Settings.Near(plan.Backlog, end.Queue.Active + end.Queue.Locked, 0.03);
        Settings.Near(plan.DrainSeconds, trace.ObservedUntil - 100, 0.05);
    }

    [Theory]
    [InlineData(0.9, false)]
    [InlineData(1.1, true)]
    public void Locks_are_lost_if_more_is_prefetched_than_is_handled_during_a_lock(double share, bool lost)
    {
        var setting = Settings.Backlogged with
        {
            Handling = new(4, 100),
            Queue = new(20, 3, 10_000),
            Nodes = new(3, 16),
        };
        var largest = Planner.Of(setting).LargestPrefetch;
        var prefetched = setting with { Handling = setting.Handling with { Prefetch = (int)(largest * share) } };

        Assert.Equal(lost, Planner.Of(prefetched).LosesLocks);
        var atTheLimit = setting.Handling with { Prefetch = (int)largest + (lost ? 1 : 0) };
        Assert.Equal(lost, Planner.Of(setting with { Handling = atTheLimit }).LosesLocks);
        Assert.Equal(lost, Simulator.Run(prefetched, 3).Samples[^1].Queue.LateCompletes > 0);
    }

    [Fact]
    public void The_safe_prefetch_is_half_of_the_limit_and_one_for_each_handler_at_least()
    {
        var plan = Planner.Of(Loaded with { Handling = new(4, 100), Queue = new(20, 3) });
        Assert.Equal((int)(plan.LargestPrefetch / 2), plan.SafePrefetch);
        Assert.Equal(400, Planner.Of(Loaded with { Handling = new(400, 500), Queue = new(1, 3) }).SafePrefetch);
    }

    [Fact]
    public void A_limit_of_CPU_says_the_node_and_what_each_service_takes_of_it()
    {
        var plan = Planner.Of(Loaded with { Handling = new(40, 100), Queue = new(1000, 3) });

        Assert.Equal((LimitKind.Cpu, 1), (plan.Binds.Kind, plan.Binds.Node));
        Assert.Equal([0, 60, 0, 0, 0], plan.Binds.Work);
        Assert.Equal([0, 0, 6, 10, 20], plan.Next!.Work);
        var beside = Planner.Of(
            Loaded with
            {
                Ingestion = new([1], Cpu: 15),
                Handling = new(40, 100),
                Queue = new(1000, 3),
            }
        );
        Assert.Equal(plan.Binds.Rate - plan.Incoming * 15 / 60, beside.Binds.Rate, 6); // an Ingestion on that node takes its part first
    }

    [Fact]
    public void Load_below_other_limits_binds()
    {
        var few = Loaded with
        {
            Users = Loaded.Users with { Start = 4, Most = 4 },
            Handling = new(40, 100),
            Queue = new(1000, 3),
        };

        Assert.Equal((LimitKind.Load, 8), (Planner.Of(few).Binds.Kind, Planner.Of(few).Sustained));
    }

    [Fact]
    public void A_cache_that_is_too_small_binds_from_when_it_is_full()
    {
        var setting = Loaded with
        {
            Handling = new(1, 0),
            Queue = new(1000, 3),
            CacheFits = 200,
            ObserveSeconds = 0,
            UntilEmpty = false,
        };

        var plan = Planner.Of(setting);

        Assert.Equal((LimitKind.Cache, 0), (plan.Binds.Kind, plan.Sustained));
        var full = Simulator.Run(setting, 3).Samples.First(sample => sample.Errors > 0).At;
        Settings.Near(full, plan.CacheFullAfterSeconds!.Value, 0.05);
        Assert.Null(Planner.Of(setting with { CacheFits = 5000 }).CacheFullAfterSeconds);
    }

    [Fact]
    public void A_prefetch_that_exceeds_the_limit_by_more_than_a_lot_collapses_and_that_binds_before_everything_else()
    {
        var setting = Settings.Backlogged with
        {
            Users = new(
                Start: 40,
                Step: 1,
                StepSeconds: 1,
                Most: 40,
                DurationSeconds: 200,
                EveryMilliseconds: 500,
                Jitter: 0.25
            ),
            Handling = new(4, 800),
            Queue = new(20, 3, 15_000),
            Nodes = new(3, 16),
        };

        var plan = Planner.Of(setting);

        Assert.Equal((true, LimitKind.Lock, 0), (plan.Collapses, plan.Binds.Kind, plan.Sustained));
        Assert.Equal(0, Simulator.Run(setting, 3).Rate(60, 200));
        Assert.Equal(LimitKind.Calls, plan.Next!.Kind);
    }

    [Theory]
    [InlineData(0.25)]
    [InlineData(0.75)]
    public void Between_the_largest_prefetch_and_a_collapse_a_part_of_each_lot_is_in_time(double share)
    {
        var setting = Settings.Backlogged with { Handling = new(40, 100), Queue = new(20, 3, 20_000) };
        var kept = Planner.Of(setting);

        var prefetched = setting with
        {
            Handling = setting.Handling with { Prefetch = (int)(kept.LargestPrefetch + share * 100) },
        };

        Assert.Equal(LimitKind.Cpu, kept.Limits[0].Kind);
        Settings.Near((1 - share) * kept.Limits[0].Rate, LockRate(prefetched), 0.05);
        Assert.InRange(
            Simulator.Run(prefetched, 3).Rate(60, 200) / kept.Limits[0].Rate,
            1 - share - 0.25,
            1 - share + 0.25
        );
    }

    [Fact]
    public void Where_handlers_bind_a_second_settlement_for_each_lost_lock_makes_a_small_loss_a_collapse()
    {
        var setting = Settings.Backlogged with
        {
            Handling = new(4, 100),
            Queue = new(20, 3, 20_000),
            Nodes = new(3, 16),
        };
        var prefetched = setting with
        {
            Handling = setting.Handling with { Prefetch = (int)Planner.Of(setting).LargestPrefetch + 25 },
        };

        Assert.Equal(0, LockRate(prefetched));
        Assert.Equal(0, Simulator.Run(prefetched, 3).Rate(60, 200));
    }

    [Theory]
    [InlineData(4, 16, 20)]
    [InlineData(4, 16, 1)] // a lot of a small prefetch count has less than a hundred
    [InlineData(40, 2, 20)] // CPU binds: no second settlement slows it down
    public void The_largest_prefetch_before_a_collapse_is_where_it_begins(int calls, int cpus, int lockSeconds)
    {
        var setting = Settings.Backlogged with { Queue = new(lockSeconds, 3, 20_000), Nodes = new(3, cpus) };
        var (largest, most) = ((int)PlanOf(calls).LargestPrefetch, (int)PlanOf(calls).CollapsePrefetch);

        Assert.InRange(most, largest, 3 * largest); // at most two thirds are a lot
        Assert.Equal((false, true), (PlanOf(most).Collapses, PlanOf(most + 1).Collapses));

        Plan PlanOf(int prefetch) => Planner.Of(setting with { Handling = new(calls, prefetch) });
    }

    private static double LockRate(Setting setting) =>
        Planner.Of(setting).All.Single(limit => limit.Kind == LimitKind.Lock).Rate;

    [Fact]
    public void The_busiest_node_is_that_of_the_simulation()
    {
        var setting = Loaded with
        {
            Users = Loaded.Users with { Start = 8, Most = 8 },
            Handling = new(40, 100),
            Queue = new(1000, 3),
        };

        var samples = Simulator.Run(setting, 3).Samples;
        var (first, last) = (samples.First(it => it.At >= 20), samples.First(it => it.At >= 100));
        var busiest = first.NodesBusy.Zip(last.NodesBusy, (from, to) => (to - from) / (last.At - first.At)).Max();
        Settings.Near(busiest, Planner.Of(setting).BusiestNode, 0.03);
    }
}
