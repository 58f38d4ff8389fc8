namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>What a queue makes of a machine's clock that is set, or that has slept.</summary>
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
    public void A_step_ahead_is_followed_at_once()
    {
        _time.Step(Hour);
        _queue.Send("a");
        var receiver = new TestReceiver(_queue, 1);

        Assert.Equal(_time.GetUtcNow(), Assert.Single(_queue.Peek(0, 1)).EnqueuedAt);
        Assert.Equal(_time.GetUtcNow() + LockDuration, Assert.Single(receiver.Locks).Until);
    }

    [Fact]
    public async Task What_is_due_after_a_step_happens_though_no_timer_comes()
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
    public void A_step_back_takes_no_time_back_and_locks_end_as_they_would_have()
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
