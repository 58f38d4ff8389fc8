namespace DroneDelivery.Model.Tests;

/// <summary>Faults in a simulation, and the reaction of the application.</summary>
public sealed class FaultsTests
{
    private const int Delivery = 2;

    /// <summary>Two Workflow replicas that each hold 40 messages of a queue that is never empty.</summary>
    private static readonly Setting Two = Settings.Backlogged with
    {
        Workflow = Settings.Backlogged.Workflow with { Nodes = [0, 1] },
        Handling = new(4, 40),
        Queue = new(LockSeconds: 20, MaxDeliveryCount: 3, MessagesAtStart: 20_000),
        Nodes = new(Count: 3, VCpu: 16),
    };

    /// <summary>Most handlers wait for one of two Delivery replicas, one of which is killed.</summary>
    private static readonly Setting OftenInDelivery = Two with
    {
        Backends = [Two.Backends[0], Two.Backends[1], new([2, 2], Cpu: 20, Settings.Always(1000))],
        Faults = [new(FaultKind.Kill, 50) { Service = Delivery }],
    };

    [Fact]
    public void Messages_of_a_killed_Workflow_are_redelivered()
    {
        var trace = Simulator.Run(With(new Fault(FaultKind.Kill, 50) { Service = Fault.Workflow }), 3);

        Settings.Near(trace.Rate(10, 50) / 2, trace.Rate(80, 200), 0.02);
        var last = trace.Samples[^1];
        Assert.InRange(last.Queue.Redelivered, 40 - 26, 40);
        Assert.Equal(last.Queue.Redelivered, last.Queue.ExpiredLocks);
        Assert.Equal(0, trace.Samples.Last(sample => sample.At < 50).Queue.ExpiredLocks);
        Assert.Equal(0, trace.Samples.First(sample => sample.At > 50.5).Queue.ExpiredLocks);
        Assert.Equal(last.Queue.Redelivered, trace.Samples.First(sample => sample.At > 71).Queue.ExpiredLocks);
        AssertNothingIsGone(trace);
    }

    [Fact]
    public void Restarted_Workflow_works_as_before()
    {
        var trace = Simulator.Run(With(new Fault(FaultKind.Kill, 50, 80) { Service = Fault.Workflow, Replica = 1 }), 3);

        Settings.Near(trace.Rate(10, 50), trace.Rate(110, 200), 0.02);
        AssertNothingIsGone(trace);
    }

    [Fact]
    public void Calls_skip_a_killed_replica_and_interrupted_ones_are_retried()
    {
        var setting = OftenInDelivery with { Calls = new() { RetrySeconds = [0.1] } };

        var trace = Simulator.Run(setting, 3);

        Settings.Near(trace.Rate(10, 50), trace.Rate(60, 200), 0.02);
        Assert.Equal((0, 0), (trace.Samples[^1].Queue.DeadLettered, trace.Samples[^1].Queue.Redelivered));
    }

    [Fact]
    public void Calls_to_a_killed_replica_are_lost_without_retries() =>
        Assert.InRange(Simulator.Run(OftenInDelivery, 3).Samples[^1].Queue.DeadLettered, 1, 8);

    [Theory]
    [InlineData(FaultKind.Kill, 100)]
    [InlineData(FaultKind.FillCache, 100)]
    [InlineData(FaultKind.PauseCache, 10)]
    public void Messages_fail_only_during_an_outage_of_back_end_or_cache(FaultKind kind, int least)
    {
        var trace = Simulator.Run(With(new Fault(kind, 50, 60) { Service = Delivery }), 3);

        Assert.Equal(0, trace.Rate(51, 59.5));
        Assert.True(trace.Samples[^1].Queue.DeadLettered > least, "No delivery failed.");
        Assert.True(kind == FaultKind.Kill || trace.Samples[^1].Errors > least, "No call failed.");
        Settings.Near(trace.Rate(10, 50), trace.Rate(65, 200), 0.02);
    }

    /// <summary>The pause starts when earlier successes have left the window, and ends with the break of 5 s.</summary>
    [Theory]
    [InlineData(FaultKind.Kill)]
    [InlineData(FaultKind.Fail)]
    [InlineData(FaultKind.FillCache)]
    [InlineData(FaultKind.PauseCache)]
    public void Paused_Workflow_loses_no_message_and_resumes_within_seconds(FaultKind kind)
    {
        var holding = With(new Fault(kind, 50, 90) { Service = Delivery, Share = 1 }) with
        {
            Handling = Two.Handling with { HoldsDuringOutage = true },
            Calls = new()
            {
                RetrySeconds = [0.2, 2, 6],
                BreakerRatio = 0.75,
                BreakerMinimum = 1,
            },
        };

        var trace = Simulator.Run(holding, 3);

        var (last, held) = (
            trace.Samples[^1].Queue,
            trace.Samples.Where(sample => sample.At is > 70 and < 90).ToList()
        );
        Assert.Equal((0, 0), (last.DeadLettered, last.Redelivered));
        // One attempt of each Workflow after each break, which is postponed.
        Assert.InRange(held[^1].Queue.Outgoing - held[0].Queue.Outgoing, 2 * 2, 2 * 4);
        Assert.InRange(held[^1].Queue.Completed - held[0].Queue.Completed, 2 * 2, 2 * 4);
        Settings.Near(trace.Rate(10, 50), trace.Rate(100, 200), 0.02);
    }

    [Fact]
    public void Message_postponed_during_a_broker_pause_returns_as_a_copy()
    {
        var setting = Two with
        {
            Handling = Two.Handling with { HoldsDuringOutage = true },
            Faults = [new(FaultKind.Kill, 50, 60) { Service = Delivery }, new(FaultKind.PauseBroker, 50, 60)],
        };

        var trace = Simulator.Run(setting, 3);

        // Each of the eight handlers postpones one message, and no other starts before both are back.
        Assert.Equal(8, trace.Samples[^1].Queue.Incoming - trace.Accepted);
        Assert.Equal((0, 0), (trace.Samples[^1].Queue.DeadLettered, trace.Samples[^1].Queue.Redelivered));
    }

    /// <summary>A message takes 230 ms, of which Delivery takes 37 and a settlement 100.</summary>
    [Theory]
    [InlineData(Delivery, 10, 333)]
    [InlineData(Fault.Broker, 4, 300)]
    public void Slow_back_end_or_broker_lowers_the_rate_by_its_delay(int service, double factor, double longer)
    {
        var trace = Simulator.Run(With(new Fault(FaultKind.Slow, 50, 100) { Service = service, Factor = factor }), 3);

        Settings.Near(trace.Rate(10, 50) * 230 / (230 + longer), trace.Rate(52, 100), 0.03);
        Settings.Near(trace.Rate(10, 50), trace.Rate(105, 200), 0.02);
    }

    [Fact]
    public void Slow_back_end_does_not_wait_longer_for_CPU()
    {
        var setting = Two with { Handling = new(30, 100), Nodes = new(Count: 3, VCpu: 2) };

        var trace = Simulator.Run(setting with { Faults = [new(FaultKind.Slow, 50, 100) { Factor = 10 }] }, 3);

        // 60 handlers keep the CPU of the back ends busy, even with 108 ms more per message.
        Settings.Near(trace.Rate(10, 50), trace.Rate(52, 100), 0.03);
    }

    [Fact]
    public void Fail_fault_makes_a_share_of_responses_errors()
    {
        var trace = Simulator.Run(With(new Fault(FaultKind.Fail, 50, 150) { Service = Delivery, Share = 0.25 }), 3);

        var (handled, failed) = (trace.Rate(10, 50) * 100, trace.Samples[^1].Errors);
        Assert.InRange(failed / handled, 0.15, 0.35);
        Assert.Equal(failed, trace.Samples.First(sample => sample.At > 151).Errors);
    }

    [Fact]
    public void Short_pause_of_the_cache_costs_only_time()
    {
        var brief = Simulator.Run(With(new Fault(FaultKind.PauseCache, 50, 51.5)), 3);

        Assert.Equal((0, 0), (brief.Samples[^1].Errors, brief.Rate(50.5, 51.25)));
    }

    [Fact]
    public void Broker_pause_shorter_than_a_lock_costs_only_time()
    {
        var trace = Simulator.Run(With(new Fault(FaultKind.PauseBroker, 50, 60)), 3);

        Assert.Equal(0, trace.Rate(50.25, 59.75));
        Assert.Equal(0, trace.Samples[^1].Queue.Redelivered);
        Settings.Near(trace.Rate(10, 50), trace.Rate(65, 200), 0.02);
    }

    [Fact]
    public void Broker_pause_longer_than_a_lock_redelivers_held_messages()
    {
        var trace = Simulator.Run(With(new Fault(FaultKind.PauseBroker, 50, 80)), 3);

        var held = trace.Samples.First(sample => sample.At >= 50.25).Queue.Locked;
        Assert.InRange(held, 2 * (40 - 26), 2 * 40);
        Assert.Equal(held, trace.Samples[^1].Queue.Redelivered);
        Assert.True(trace.Samples[^1].Queue.LateCompletes > 0, "A settlement after the end of its lock was accepted.");
        AssertNothingIsGone(trace);
    }

    [Fact]
    public void Requests_wait_and_none_is_lost_while_the_broker_is_paused()
    {
        var setting = Settings.Small with { Faults = [new(FaultKind.PauseBroker, 20, 30)] };

        var trace = Simulator.Run(setting, 3);

        Assert.Equal(
            trace.Samples.First(sample => sample.At >= 20.1).Queue.Incoming,
            trace.Samples.Last(sample => sample.At <= 29.9).Queue.Incoming
        );
        Assert.Equal(trace.Accepted, trace.Samples[^1].Queue.Completed);
        Assert.Equal(0, trace.Failed);
    }

    [Fact]
    public void Requests_to_a_killed_Ingestion_fail_and_others_succeed()
    {
        var setting = Settings.Small with
        {
            Ingestion = Settings.Small.Ingestion with { Nodes = [0, 0] },
            Faults = [new(FaultKind.Kill, 20, 40) { Service = Fault.Ingestion }],
        };

        var trace = Simulator.Run(setting, 3);

        // Half of eight requests per second, for 20 s.
        Assert.InRange(trace.Failed, 75, 85);
        Assert.Equal(trace.Accepted, trace.Samples[^1].Queue.Completed);
    }

    private static Setting With(Fault fault) => Two with { Faults = [fault] };

    private static void AssertNothingIsGone(Trace trace)
    {
        var last = trace.Samples[^1];
        Assert.Equal(
            20_000 + trace.Accepted,
            last.Queue.Completed + last.Queue.Active + last.Queue.Locked + last.Queue.DeadLettered
        );
    }
}
