namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class ScheduleTests(ClockedBus bus) : BusTest(bus), IClassFixture<ClockedBus>
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_scheduled_message_comes_when_it_is_due(bool isSent)
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
    public async Task A_scheduled_message_lives_from_when_it_is_due()
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
    public async Task A_message_whose_time_to_live_is_over_is_a_dead_letter_if_the_queue_says_so()
    {
        var queue = await CreateQueueAsync(options => options.DeadLetteringOnMessageExpiration = true);
        await SendAsync(queue, new ServiceBusMessage("short") { TimeToLive = TimeSpan.FromSeconds(10) });

        bus.Clock.Advance(TimeSpan.FromSeconds(11));

        var dead = await OneAsync(DeadLetters(queue));
        Assert.Equal(("short", "TTLExpiredException"), (dead.Body.ToString(), dead.DeadLetterReason));
    }

    [Fact]
    public async Task A_known_id_is_dropped_until_its_time_is_over()
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
