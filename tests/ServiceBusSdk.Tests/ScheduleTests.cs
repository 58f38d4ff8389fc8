namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class ScheduleTests(ClockedBus bus) : BusTest(bus), IClassFixture<ClockedBus>
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Scheduled_message_is_delivered_when_due(bool isSent)
    {
        var queue = await CreateQueueAsync();
        var due = bus.Clock.GetUtcNow().AddSeconds(30);
        if (isSent)
            await SendAsync(queue, new ServiceBusMessage("later") { ScheduledEnqueueTime = due });
        else
            await Client.CreateSender(queue).ScheduleMessageAsync(new ServiceBusMessage("later"), due, Cancelled);
        var receiver = Receiver(queue);
        await SendAsync(queue, new ServiceBusMessage("now"));
        Assert.Equal("now", (await OneAsync(receiver)).Body.ToString());
        Assert.Equal(
            ServiceBusMessageState.Scheduled,
            (await receiver.PeekMessageAsync(cancellationToken: Cancelled)).State
        );

        bus.Clock.Advance(TimeSpan.FromSeconds(30));

        var message = await OneAsync(receiver);
        Assert.Equal(("later", ServiceBusMessageState.Active), (message.Body.ToString(), message.State));
        foreach (var time in new[] { message.EnqueuedTime, message.ScheduledEnqueueTime })
            Assert.InRange(time, due.AddMilliseconds(-1), due.AddMilliseconds(1));
    }

    [Fact]
    public async Task Time_to_live_of_a_scheduled_message_starts_when_due()
    {
        var queue = await CreateQueueAsync();
        var (due, life) = (bus.Clock.GetUtcNow().AddSeconds(60), TimeSpan.FromSeconds(40));
        await SendAsync(queue, new ServiceBusMessage("later") { TimeToLive = life, ScheduledEnqueueTime = due });
        var receiver = Receiver(queue);
        var scheduled = await receiver.PeekMessageAsync(cancellationToken: Cancelled);
        bus.Clock.Advance(TimeSpan.FromSeconds(60));

        var message = await OneAsync(receiver);

        foreach (var one in new[] { scheduled, message })
        {
            Assert.Equal(life, one.TimeToLive);
            Assert.InRange(one.ExpiresAt, (due + life).AddMilliseconds(-1), (due + life).AddMilliseconds(1));
        }
    }

    [Fact]
    public async Task Expired_message_is_dead_lettered_when_the_queue_requires_it()
    {
        var queue = await CreateQueueAsync(options => options.DeadLetteringOnMessageExpiration = true);
        await SendAsync(queue, new ServiceBusMessage("short") { TimeToLive = TimeSpan.FromSeconds(10) });

        bus.Clock.Advance(TimeSpan.FromSeconds(11));

        var dead = await OneAsync(DeadLetters(queue));
        Assert.Equal(("short", "TTLExpiredException"), (dead.Body.ToString(), dead.DeadLetterReason));
    }

    [Fact]
    public async Task Duplicate_is_dropped_within_the_detection_window()
    {
        var queue = await CreateQueueAsync(options =>
        {
            options.RequiresDuplicateDetection = true;
            options.DuplicateDetectionHistoryTimeWindow = TimeSpan.FromSeconds(20);
        });
        await SendAsync(queue, new("first") { MessageId = "same" }, new("other") { MessageId = "other" });
        bus.Clock.Advance(TimeSpan.FromSeconds(19.9));
        await SendAsync(queue, new ServiceBusMessage("dropped") { MessageId = "same" });
        bus.Clock.Advance(TimeSpan.FromSeconds(0.1));
        await SendAsync(queue, new ServiceBusMessage("again") { MessageId = "same" });

        var messages = await Receiver(queue).PeekMessagesAsync(10, cancellationToken: Cancelled);

        Assert.Equal(["first", "other", "again"], Bodies(messages));
    }
}
