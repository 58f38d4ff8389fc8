namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class SendingTests(Bus bus) : BusTest(bus)
{
    public static TheoryData<object> Values =>
    [
        true, (byte)200, (sbyte)-100, (short)-30_000, (ushort)60_000, -2_000_000_000, 4_000_000_000u, long.MinValue, ulong.MaxValue, 0.1f,
        0.1, 79_228_162_514.264_337m, 'ß', "text with \0 and 日本", "", new Guid("0123456789abcdef0123456789abcdef"),
        new Uri("urn:a:b?c=d"), new DateTime(2030, 1, 2, 3, 4, 5, 678, DateTimeKind.Utc), TimeSpan.FromTicks(123_456_789),
        new DateTimeOffset(2030, 1, 2, 3, 4, 5, TimeSpan.Zero).AddTicks(7),
    ];

    [Theory]
    [MemberData(nameof(Values))]
    public async Task A_property_arrives_with_its_type_and_value(object value)
    {
        var queue = await CreateQueueAsync();
        await SendAsync(queue, new ServiceBusMessage("x") { ApplicationProperties = { ["key"] = value } });

        var arrived = (await OneAsync(Receiver(queue))).ApplicationProperties["key"];

        Assert.IsType(value.GetType(), arrived);
        Assert.Equal(value, arrived);
    }

    [Fact]
    public async Task Everything_that_a_message_says_about_itself_arrives()
    {
        var queue = await CreateQueueAsync();
        await SendAsync(queue, new ServiceBusMessage("body")
        {
            MessageId = "id",
            CorrelationId = "correlation",
            Subject = "subject",
            ContentType = "text/plain",
            To = "to",
            ReplyTo = "reply-to",
            ReplyToSessionId = "reply-to-session",
            SessionId = "session",
            PartitionKey = "session",
            TimeToLive = TimeSpan.FromHours(3),
        });

        var message = await OneAsync(Receiver(queue));

        Assert.Equal(
            ("body", "id", "correlation", "subject", "text/plain"),
            (message.Body.ToString(), message.MessageId, message.CorrelationId, message.Subject, message.ContentType));
        Assert.Equal(
            ("to", "reply-to", "reply-to-session", "session", "session", TimeSpan.FromHours(3)),
            (message.To, message.ReplyTo, message.ReplyToSessionId, message.SessionId, message.PartitionKey, message.TimeToLive));
        Assert.Equal((1, ServiceBusMessageState.Active), (message.DeliveryCount, message.State));
        Assert.InRange(message.ExpiresAt, message.EnqueuedTime.AddHours(2.9), message.EnqueuedTime.AddHours(3.1));
        Assert.NotEqual(Guid.Empty.ToString(), message.LockToken);
    }

    [Theory]
    [InlineData(null, 60)]
    [InlineData(5, 5)]
    [InlineData(600, 60)]
    public async Task A_message_lives_no_longer_than_its_entity_lets_it(int? seconds, int expected)
    {
        var queue = await CreateQueueAsync(options => options.DefaultMessageTimeToLive = TimeSpan.FromMinutes(1));
        var sent = new ServiceBusMessage("x");
        if (seconds is { } own)
            sent.TimeToLive = TimeSpan.FromSeconds(own);
        await SendAsync(queue, sent);

        var message = await OneAsync(Receiver(queue));

        Assert.Equal(TimeSpan.FromSeconds(expected), message.TimeToLive);
        // Where the sender gave a life that is kept, the SDK counts from the sender's clock.
        Assert.Equal(message.EnqueuedTime + message.TimeToLive, message.ExpiresAt, TimeSpan.FromSeconds(10));
    }

    [Fact]
    public async Task Messages_have_rising_numbers_in_the_order_in_which_they_were_sent()
    {
        var queue = await CreateQueueAsync();
        await SendAsync(queue, 5);
        await SendAsync(queue, 2);

        var messages = await ManyAsync(Receiver(queue), 7);

        Assert.Equal(["1", "2", "3", "4", "5", "1", "2"], messages.Select(message => message.MessageId));
        Assert.All(messages.Zip(messages.Skip(1)), pair => Assert.True(pair.First.SequenceNumber < pair.Second.SequenceNumber));
        Assert.All(messages, message => Assert.Equal(message.SequenceNumber, message.EnqueuedSequenceNumber));
    }

    [Fact]
    public async Task A_batch_takes_what_fits_and_arrives_whole()
    {
        var queue = await CreateQueueAsync();
        var sender = Client.CreateSender(queue);
        using var batch = await sender.CreateMessageBatchAsync(Cancelled);
        while (batch.TryAddMessage(new ServiceBusMessage(new byte[20_000]) { MessageId = $"{batch.Count}" }))
            Assert.True(batch.SizeInBytes <= batch.MaxSizeInBytes);
        Assert.True(batch.Count >= 12);
        await sender.SendMessagesAsync(batch, Cancelled);

        var messages = await ManyAsync(Receiver(queue), batch.Count);

        Assert.Equal(Enumerable.Range(0, batch.Count).Select(number => $"{number}"), messages.Select(message => message.MessageId));
        Assert.All(messages, message => Assert.Equal(20_000, message.Body.ToMemory().Length));
    }

    [Fact]
    public async Task A_message_larger_than_the_queue_takes_is_refused_and_the_sender_goes_on()
    {
        var queue = await CreateQueueAsync();
        var sender = Client.CreateSender(queue);
        using var batch = await sender.CreateMessageBatchAsync(Cancelled);
        var tooLarge = new ServiceBusMessage(new byte[batch.MaxSizeInBytes + 1]);

        var error = await FailsAsync(ServiceBusFailureReason.MessageSizeExceeded, () => sender.SendMessageAsync(tooLarge, Cancelled));
        await sender.SendMessageAsync(new ServiceBusMessage("small"), Cancelled);

        Assert.False(error.IsTransient);
        Assert.Equal("small", (await OneAsync(Receiver(queue))).Body.ToString());
    }
}
