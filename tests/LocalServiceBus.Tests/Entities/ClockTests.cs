namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>A queue on a machine whose clock is set, or that was suspended.</summary>
public sealed class ClockTests : IDisposable
{
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1),
        LockDuration = TimeSpan.FromSeconds(30);

    private readonly ManualTimeProvider _clock = new();
    private readonly FaultyTimeProvider _time;
    private readonly ServiceBusNamespace _entities;
    private readonly Queue _queue;

    public ClockTests()
    {
        _time = new FaultyTimeProvider(_clock);
        _entities = new ServiceBusNamespace(_time);
        _queue = _entities.Create(new QueueOptions("orders") { LockDuration = LockDuration });
    }

    public void Dispose() => _entities.Dispose();

    [Fact]
    public void Clock_step_ahead_takes_effect_immediately()
    {
        _time.Step(Hour);
        _queue.Send("a");
        var receiver = new TestReceiver(_queue, 1);

        Assert.Equal(_time.GetUtcNow(), Assert.Single(_queue.Peek(0, 1)).EnqueuedAt);
        Assert.Equal(_time.GetUtcNow() + LockDuration, Assert.Single(receiver.Locks).Until);
    }

    [Fact]
    public async Task Due_timers_fire_after_a_clock_step_without_a_timer_callback()
    {
        var sessions = _entities.Create(
            new QueueOptions("sessions") { LockDuration = LockDuration, RequiresSession = true }
        );
        var held = TestSession.Ask(sessions, "a");
        _queue.Send("locked");
        Assert.Single(new TestReceiver(_queue, 1).Locks);
        _queue.Send(QueueFixture.Content("due") with { ScheduledEnqueueTime = _time.GetUtcNow() + Hour });
        _queue.Send(QueueFixture.Content("brief") with { TimeToLive = Hour });
        _time.Step(Hour);

        await Eventually.TrueAsync(() =>
            held.IsLost && _queue.Counts() is { Active: 2, Scheduled: 0, Locked: 0, Expired: 1 }
        );
    }

    [Fact]
    public void Clock_step_back_does_not_extend_locks()
    {
        _queue.Send("a");
        var start = _time.GetUtcNow();
        Assert.Single(new TestReceiver(_queue, 1).Locks);
        _time.Step(-Hour);
        _clock.Advance(LockDuration / 2);
        _queue.Send("b");
        Assert.Equal(start + LockDuration / 2, _queue.Peek(0, 2)[1].EnqueuedAt);
        Assert.Equal(1, _queue.Counts().Locked);
        _clock.Advance(LockDuration / 2);
        Assert.Equal(0, _queue.Counts().Locked);

        _time.Step(Hour);
        _queue.Send("c");
        Assert.Equal(_time.GetUtcNow(), _queue.Peek(0, 3)[2].EnqueuedAt);
    }
}
