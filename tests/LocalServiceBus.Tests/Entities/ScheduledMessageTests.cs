namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class ScheduledMessageTests : IDisposable
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);
    private readonly QueueFixture _fixture = new();

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void A_scheduled_message_arrives_at_its_time_as_if_it_had_been_sent_then()
    {
        var number = Schedule("later", 10 * Second);
        var receiver = _fixture.Receive(5);
        _fixture.Send("now");
        _fixture.Clock.Advance(10 * Second - TimeSpan.FromMilliseconds(1));
        Assert.Equal(["now"], receiver.Texts);
        _fixture.Clock.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(["now", "later"], receiver.Texts);
        var message = receiver.Messages[1];
        Assert.True(message.SequenceNumber > receiver.Messages[0].SequenceNumber);
        Assert.Equal(number, message.EnqueuedSequenceNumber);
        Assert.Equal(_fixture.Clock.GetUtcNow(), message.EnqueuedAt);
    }

    [Fact]
    public void Messages_scheduled_for_the_same_time_arrive_in_the_order_of_scheduling()
    {
        string[] texts = [.. Enumerable.Range(0, 50).Select(i => $"{i}")];
        foreach (var text in texts)
            Schedule(text, Second);
        _fixture.Clock.Advance(Second);
        Assert.Equal(texts, _fixture.Receive(100).Texts);
    }

    [Fact]
    public void Its_time_to_live_runs_from_its_arrival()
    {
        _fixture.Send(QueueFixture.Content("a") with
        {
            ScheduledEnqueueTime = _fixture.Clock.GetUtcNow() + 10 * Second,
            TimeToLive = 5 * Second,
        });
        _fixture.Clock.Advance(14 * Second);
        Assert.Equal(1, _fixture.Queue.Counts().Active);
        _fixture.Clock.Advance(Second);
        Assert.Equal(1, _fixture.Queue.Counts().Expired);
    }

    [Fact]
    public void A_cancelled_message_never_arrives()
    {
        var number = Schedule("a", Second);
        Assert.True(_fixture.Queue.CancelScheduled([number]));
        _fixture.Clock.Advance(Second);
        Assert.Empty(_fixture.PeekTexts());
        Assert.Equal((1, 0), (_fixture.Queue.Counts().Cancelled, _fixture.Queue.Counts().Scheduled));
    }

    [Fact]
    public void A_message_that_has_arrived_cannot_be_cancelled_and_nothing_else_is()
    {
        var early = Schedule("early", Second);
        var late = Schedule("late", 10 * Second);
        _fixture.Clock.Advance(Second);
        Assert.False(_fixture.Queue.CancelScheduled([late, early]));
        Assert.Equal(1, _fixture.Queue.Counts().Scheduled);
    }

    [Fact]
    public void A_time_in_the_past_is_no_schedule()
    {
        _fixture.Send(QueueFixture.Content("a") with { ScheduledEnqueueTime = _fixture.Clock.GetUtcNow() - Second });
        Assert.Equal(["a"], _fixture.Receive(1).Texts);
    }

    private long Schedule(string text, TimeSpan after) =>
        _fixture.Send(QueueFixture.Content(text) with { ScheduledEnqueueTime = _fixture.Clock.GetUtcNow() + after });
}
