namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class TimeToLiveTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void Expiry_beyond_the_maximum_timer_interval_is_honored()
    {
        using var fixture = new QueueFixture();
        fixture.Send(QueueFixture.Content("a") with { TimeToLive = TimeSpan.FromDays(100) });
        fixture.Send(QueueFixture.Content("beyond the calendar") with { TimeToLive = TimeSpan.MaxValue - Second });
        fixture.Clock.Advance(TimeSpan.FromDays(100) - Second);
        Assert.Equal(["a", "beyond the calendar"], fixture.PeekTexts());
        fixture.Clock.Advance(Second);
        Assert.Equal(1, fixture.Queue.Counts().Expired);
        fixture.Clock.Advance(TimeSpan.FromDays(1000));
        Assert.Equal(["beyond the calendar"], fixture.PeekTexts());
    }

    [Theory]
    [InlineData(3, 1)]
    [InlineData(2 * Queue.MaxPerHold + 1, 0)] // More than the queue handles under one lock.
    public void Messages_that_expired_before_a_late_timer_are_skipped(int count, int atOnce)
    {
        using var fixture = new QueueFixture();
        var receiver = fixture.Receive(0);
        var handedOut = -1;
        // Set before the queue's own timer for the same moment, and therefore fires first.
        using var early = fixture.Clock.CreateTimer(
            _ =>
            {
                receiver.Grant(5);
                handedOut = receiver.Texts.Count;
            },
            null,
            5 * Second,
            Timeout.InfiniteTimeSpan
        );
        for (var i = 0; i < count; i++)
            fixture.Send(QueueFixture.Content("a") with { TimeToLive = 5 * Second });
        fixture.Send("b");
        fixture.Clock.Advance(5 * Second);
        Assert.InRange(handedOut, atOnce, 1);
        Assert.Equal(["b"], receiver.Texts);
    }

    [Fact]
    public void Time_to_live_beyond_the_maximum_timer_interval_is_accepted()
    {
        using var entities = new ServiceBusNamespace(TimeProvider.System);
        var queue = entities.Create(new QueueOptions("orders"));
        var content = QueueFixture.Content("a") with { TimeToLive = TimeSpan.FromDays(100) };
        queue.Send(content);
        Assert.Equal(["a"], new TestReceiver(queue, 1).Texts);
    }

    [Fact]
    public void Peek_shows_a_locked_message_that_has_expired()
    {
        using var fixture = new QueueFixture();
        fixture.Send(QueueFixture.Content("a") with { TimeToLive = 5 * Second });
        fixture.Receive(1);
        fixture.Clock.Advance(6 * Second);
        Assert.Equal(["a"], fixture.PeekTexts());
    }

    [Fact]
    public void Peek_skips_any_number_of_expired_deferred_messages()
    {
        using var fixture = new QueueFixture();
        for (var i = 0; i < 2 * Queue.MaxPerHold + 1; i++)
            fixture.Send(QueueFixture.Content("a") with { TimeToLive = 5 * Second });
        foreach (var _ in Enumerable.Range(0, 2 * Queue.MaxPerHold + 1))
            fixture.Queue.Settle(fixture.Receive(1).Locks[0], new Settlement.Deferred());
        fixture.Send("b", "c");
        fixture.Clock.Advance(6 * Second);
        Assert.Equal(["b"], fixture.Queue.Peek(0, 1).Select(QueueFixture.TextOf));
        Assert.Equal((0, 2 * Queue.MaxPerHold + 1), (fixture.Queue.Counts().Deferred, fixture.Queue.Counts().Expired));
    }
}
