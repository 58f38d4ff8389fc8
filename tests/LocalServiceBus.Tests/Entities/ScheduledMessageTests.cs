namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class ScheduledMessageTests : IDisposable
{
    static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    readonly QueueFixture fixture = new();

    public void Dispose() => fixture.Dispose();

    [Fact]
    public void A_scheduled_message_arrives_at_its_time_as_if_it_had_been_sent_then()
    {
        var number = Schedule("later", 10 * Second);
        var receiver = fixture.Receive(5);
        fixture.Send("now");
        fixture.Clock.Advance(10 * Second - TimeSpan.FromMilliseconds(1));
        Assert.Equal(["now"], receiver.Texts);
        fixture.Clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(["now", "later"], receiver.Texts);
        var message = receiver.Locks[1].Message;
        Assert.True(message.SequenceNumber > receiver.Locks[0].Message.SequenceNumber);
        Assert.Equal(number, message.EnqueuedSequenceNumber);
        Assert.Equal(fixture.Clock.GetUtcNow(), message.EnqueuedAt);
    }

    [Fact]
    public void Messages_scheduled_for_the_same_time_arrive_in_the_order_of_scheduling()
    {
        string[] texts = [.. Enumerable.Range(0, 50).Select(i => $"{i}")];
        foreach (var text in texts) Schedule(text, Second);
        fixture.Clock.Advance(Second);
        Assert.Equal(texts, fixture.Receive(100).Texts);
    }

    [Fact]
    public void Its_time_to_live_runs_from_its_arrival()
    {
        fixture.Send(QueueFixture.Content("a") with
        {
            ScheduledEnqueueTime = fixture.Clock.GetUtcNow() + 10 * Second,
            TimeToLive = 5 * Second,
        });
        fixture.Clock.Advance(14 * Second);
        Assert.Equal(1, fixture.Queue.Counts().Active);
        fixture.Clock.Advance(Second);
        Assert.Equal(1, fixture.Queue.Counts().Expired);
    }

    [Fact]
    public void A_cancelled_message_never_arrives()
    {
        var number = Schedule("a", Second);
        Assert.True(fixture.Queue.CancelScheduled([number]));
        fixture.Clock.Advance(Second);
        Assert.Empty(fixture.PeekTexts());
        Assert.Equal((1, 0), (fixture.Queue.Counts().Cancelled, fixture.Queue.Counts().Scheduled));
    }

    [Fact]
    public void A_message_that_has_arrived_cannot_be_cancelled_and_nothing_else_is()
    {
        var early = Schedule("early", Second);
        var late = Schedule("late", 10 * Second);
        fixture.Clock.Advance(Second);
        Assert.False(fixture.Queue.CancelScheduled([late, early]));
        Assert.Equal(1, fixture.Queue.Counts().Scheduled);
    }

    [Fact]
    public void A_time_in_the_past_is_no_schedule()
    {
        fixture.Send(QueueFixture.Content("a") with { ScheduledEnqueueTime = fixture.Clock.GetUtcNow() - Second });
        Assert.Equal(["a"], fixture.Receive(1).Texts);
    }

    long Schedule(string text, TimeSpan after) =>
        fixture.Send(QueueFixture.Content(text) with { ScheduledEnqueueTime = fixture.Clock.GetUtcNow() + after });
}
