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
    public void Bottleneck_matches_the_simulation_and_CPU_is_next(int calls, int prefetch, string what, LimitKind kind)
    {
        var setting = Loaded with { Handling = new(calls, prefetch), Queue = new(1000, 3) };

        var plan = Planner.Of(setting);

        Assert.Equal((what, kind, LimitKind.Cpu), (plan.Limits[0].What, plan.Binds.Kind, plan.Next!.Kind));
        Assert.True(plan.Next.Rate > plan.Binds.Rate);
        Assert.Equal(plan.Binds.Rate, plan.Sustained);
        // Concurrent handlers wait a little for CPUs, which the formula ignores.
        Settings.Near(plan.Rate, Simulator.Run(setting, 3).Rate(20, 100), 0.06);
    }

    [Fact]
    public void Backlog_and_drain_match_the_simulation()
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
    public void Locks_expire_if_the_prefetch_exceeds_the_work_during_a_lock(double share, bool lost)
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
    public void Safe_prefetch_is_half_of_the_limit_but_covers_all_handlers()
    {
        var plan = Planner.Of(Loaded with { Handling = new(4, 100), Queue = new(20, 3) });
        Assert.Equal((int)(plan.LargestPrefetch / 2), plan.SafePrefetch);
        Assert.Equal(400, Planner.Of(Loaded with { Handling = new(400, 500), Queue = new(1, 3) }).SafePrefetch);
    }

    [Fact]
    public void CPU_limit_names_its_node_and_the_share_of_each_service()
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
        // An Ingestion on that node uses its part first.
        Assert.Equal(plan.Binds.Rate - plan.Incoming * 15 / 60, beside.Binds.Rate, 6);
    }

    [Fact]
    public void Load_below_other_limits_is_the_limit()
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
    public void Small_cache_is_the_limit_once_it_is_full()
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
    public void Prefetch_far_beyond_the_limit_collapses()
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
    public void Part_of_each_lot_completes_between_limit_and_collapse(double share)
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
    public void Small_loss_collapses_when_handlers_are_the_limit()
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
    [InlineData(4, 16, 1)] // A lot of a small prefetch count has fewer than a hundred messages.
    [InlineData(40, 2, 20)] // CPU is the limit, so a second settlement doesn't slow it down.
    public void Collapse_prefetch_is_where_the_collapse_begins(int calls, int cpus, int lockSeconds)
    {
        var setting = Settings.Backlogged with { Queue = new(lockSeconds, 3, 20_000), Nodes = new(3, cpus) };
        var (largest, most) = ((int)PlanOf(calls).LargestPrefetch, (int)PlanOf(calls).CollapsePrefetch);

        Assert.InRange(most, largest, 3 * largest); // A lot is at most two thirds.
        Assert.Equal((false, true), (PlanOf(most).Collapses, PlanOf(most + 1).Collapses));

        Plan PlanOf(int prefetch) => Planner.Of(setting with { Handling = new(calls, prefetch) });
    }

    private static double LockRate(Setting setting) =>
        Planner.Of(setting).All.Single(limit => limit.Kind == LimitKind.Lock).Rate;

    [Fact]
    public void Busiest_node_matches_the_simulation()
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
