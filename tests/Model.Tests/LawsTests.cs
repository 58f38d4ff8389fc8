using DroneDelivery.Model.Simulation.Nodes;

namespace DroneDelivery.Model.Tests;

public sealed class LawsTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public void Messages_in_the_system_equal_rate_times_sojourn_time(int calls)
    {
        var setting = Settings.Small with { Handling = new(calls, 0), ObserveSeconds = 3600, SampleSeconds = 0.02 };
        var log = new EventLog();

        var trace = Simulator.Run(setting, 3, log);

        var inSystem = trace.Samples.Average(sample => (double)(sample.Queue.Active + sample.Queue.Locked));
        var stay = log.Completed.Average(it => Time.Seconds(it.Value - log.Arrivals[it.Key]));
        var rate = log.Completed.Count / trace.ObservedUntil;
        Settings.Near(rate * stay, inSystem);
    }

    [Fact]
    public void Node_utilization_is_rate_times_cost()
    {
        var setting = Settings.Backlogged with { Handling = new(2, 0), Nodes = new(3, 2, 16, 100) };

        var trace = Simulator.Run(setting, 3);

        var rate = trace.Samples[^1].Queue.Completed / trace.Samples[^1].At;
        Settings.Near((rate * 0.060 + 0.16) / 2, trace.Samples[^1].NodesBusy[1] / trace.Samples[^1].At);
        Settings.Near((rate * 0.036 + 0.16) / 2, trace.Samples[^1].NodesBusy[2] / trace.Samples[^1].At);
    }

    [Fact]
    public void Time_reserved_on_a_node_is_not_spent_before_its_turn()
    {
        var node = new Node(new(1, 1), start: 0, phase: 0);
        node.Hold(0, Time.FromSeconds(10));

        Assert.Equal(4, Time.Seconds(node.SpentUntil(Time.FromSeconds(4))));
    }

    [Fact]
    public void Node_that_is_too_small_is_the_limit()
    {
        var setting = Settings.Backlogged with { Handling = new(40, 100), Nodes = new(3, 2, 16, 100) };

        var trace = Simulator.Run(setting, 3);

        Settings.Near((2 - 0.16) / 0.060, trace.Rate(10, 200));
        var (first, last) = (trace.Samples[200], trace.Samples[^2]);
        Settings.Near(1, (last.NodesBusy[1] - first.NodesBusy[1]) / (last.At - first.At));
    }

    [Fact]
    public void Failing_calls_include_the_time_of_their_retries()
    {
        var setting = Settings.Backlogged with
        {
            Users = Settings.Backlogged.Users with { DurationSeconds = 4000 },
            Handling = new(1, 0),
            CacheFits = 0,
            Calls = new() { RetrySeconds = [0, 2, 6] },
        };

        var trace = Simulator.Run(setting, 3);

        var handled = (double)trace.Samples[^1].Queue.DeadLettered / trace.Samples[^1].At;
        Settings.Near(1 / (0.060 + 0.012 + 0.021 + 4 * 0.037 + 8 + 0.100), handled);
        Assert.Equal(0, trace.Samples[^1].Queue.Completed);
    }

    [Fact]
    public void Delay_before_an_abandon_ends_at_half_of_the_lock()
    {
        var setting = Settings.Backlogged with
        {
            Handling = new(1, 0, RenewalSeconds: 0, FailuresDeadLetter: false, AbandonDelaySeconds: 1000),
            Queue = new(LockSeconds: 10, MaxDeliveryCount: 3, MessagesAtStart: 20_000),
            CacheFits = 0,
        };

        var trace = Simulator.Run(setting, 3);

        const double failed = 0.060 + 0.012 + 0.021 + 0.037;
        Settings.Near(
            1 / (failed + (10 - failed) / 2 + 0.100),
            trace.Samples[^1].Queue.Abandoned / trace.Samples[^1].At,
            0.05
        );
    }

    [Fact]
    public void Step_fails_with_one_of_its_calls_once_the_others_have_ended()
    {
        var setting = Settings.Backlogged with
        {
            Handling = new(4, 0),
            Workflow = new([0], Latency: 50),
            Backends = [new([1], Latency: 200), new([2], Latency: 10)],
            Steps =
            [
                [0, 1],
            ],
            CacheFits = 0,
        };

        var trace = Simulator.Run(setting, 3);

        Settings.Near(4 / (0.200 + 0.050), trace.Samples[^1].Queue.DeadLettered / trace.Samples[^1].At);
        Assert.Equal(0, trace.Samples[^1].Queue.Completed);
    }

    [Theory]
    [InlineData(0, 1.0, true)]
    [InlineData(40, 0.9, true)]
    [InlineData(40, 0.9, false)]
    public void Every_message_is_completed_queued_or_dead_lettered(int prefetch, double lockSeconds, bool deadLetters)
    {
        var setting = Settings.Small with
        {
            Users = Settings.Small.Users with { Most = 40, Start = 40 },
            Queue = new(lockSeconds, 3, 500),
            Handling = new(4, prefetch, 300, deadLetters),
            CacheFits = 300,
            Calls = new()
            {
                RetrySeconds = [0.1],
                BreakerRatio = 0.75,
                BreakerWindowSeconds = 1,
                BreakerBreakSeconds = 1,
            },
            ObserveSeconds = 5,
        };

        foreach (var queue in Simulator.Run(setting, 3).Samples.Select(sample => sample.Queue))
        {
            Assert.Equal(500 + queue.Incoming, queue.Completed + queue.DeadLettered + queue.Active + queue.Locked);
            Assert.True(queue.Completed <= 300);
        }
    }

    /// <summary>Covers both random parts: when users send, and how long a call takes.</summary>
    [Theory]
    [InlineData(0.25, 0)]
    [InlineData(0, 0.7)]
    public void Result_is_the_same_only_for_the_same_seed(double jitter, double sigma)
    {
        var setting = Settings.Small with
        {
            Users = Settings.Small.Users with { Jitter = jitter },
            Workflow = Settings.Small.Workflow with { Latency = new LogNormal(4.5, sigma) },
        };

        Assert.Equal(Simulator.Run(setting, 5).Process, Simulator.Run(setting, 5).Process);
        Assert.NotEqual(Simulator.Run(setting, 5).Process, Simulator.Run(setting, 6).Process);
    }

    [Fact]
    public void Receiver_never_holds_more_than_its_prefetch() =>
        Assert.Equal(
            40,
            Simulator.Run(Settings.Backlogged with { Handling = new(4, 40) }, 3).Samples[^1].Queue.MaxUnsettled
        );
}
