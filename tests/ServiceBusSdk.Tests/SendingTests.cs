using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.ServiceBusSdk.Tests;

public sealed class SendingTests(Bus bus) : BusTest(bus)
{
    public static TheoryData<object> Values =>
        [
            true,
            (byte)200,
            (sbyte)-100,
            (short)-30_000,
            (ushort)60_000,
            -2_000_000_000,
            4_000_000_000u,
            long.MinValue,
            ulong.MaxValue,
            0.1f,
            0.1,
            79_228_162_514.264_337m,
            'ß',
            "text with \0 and 日本",
            "",
            new Guid("0123456789abcdef0123456789abcdef"),
            new Uri("urn:a:b?c=d"),
            new DateTime(2030, 1, 2, 3, 4, 5, 678, DateTimeKind.Utc),
            TimeSpan.FromTicks(123_456_789),
            new DateTimeOffset(2030, 1, 2, 3, 4, 5, TimeSpan.Zero).AddTicks(7),
        ];

    [Theory]
    [MemberData(nameof(Values))]
    public async Task Property_arrives_with_its_type_and_value(object value)
    {
        var queue = await CreateQueueAsync();
        await SendAsync(queue, new ServiceBusMessage("x") { ApplicationProperties = { ["key"] = value } });

        var arrived = (await OneAsync(Receiver(queue))).ApplicationProperties["key"];

        Assert.IsType(value.GetType(), arrived);
        Assert.Equal(value, arrived);
    }

    [Theory]
    [InlineData(null, 60)]
    [InlineData(5, 5)]
    [InlineData(600, 60)]
    public async Task Time_to_live_is_capped_by_the_entitys_default(int? seconds, int expected)
    {
        var queue = await CreateQueueAsync(options => options.DefaultMessageTimeToLive = TimeSpan.FromMinutes(1));
        var sent = new ServiceBusMessage("x");
        if (seconds is { } own)
            sent.TimeToLive = TimeSpan.FromSeconds(own);
        await SendAsync(queue, sent);

        var message = await OneAsync(Receiver(queue));

        Assert.Equal(TimeSpan.FromSeconds(expected), message.TimeToLive);
        Assert.Equal(message.EnqueuedTime + message.TimeToLive, message.ExpiresAt, TimeSpan.FromMilliseconds(1));
    }

    [Fact]
    public async Task Expiry_time_from_the_sender_is_ignored()
    {
        var queue = await CreateQueueAsync();
        var sent = new ServiceBusMessage("x");
        sent.GetRawAmqpMessage().Properties.AbsoluteExpiryTime = new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.Zero);
        await SendAsync(queue, sent);

        var message = await OneAsync(Receiver(queue));

        Assert.Equal(TimeSpan.MaxValue, message.TimeToLive);
        Assert.Equal(9999, message.ExpiresAt.Year);
    }

    [Fact]
    public async Task Partition_key_that_differs_from_the_session_id_is_rejected()
    {
        var queue = await CreateQueueAsync();
        var sent = new ServiceBusMessage("x") { PartitionKey = "a" };
        sent.GetRawAmqpMessage().Properties.GroupId = "b"; // The SDK's own property would reject it.

        await Assert.ThrowsAsync<InvalidOperationException>(() => SendAsync(queue, sent));

        sent.GetRawAmqpMessage().Properties.GroupId = "a";
        await SendAsync(queue, sent);
        Assert.Equal("a", (await OneAsync(Receiver(queue))).SessionId);
    }

    [Fact]
    public async Task Oversized_message_is_rejected_and_the_sender_stays_usable()
    {
        var queue = await CreateQueueAsync();
        var sender = Client.CreateSender(queue);
        using var batch = await sender.CreateMessageBatchAsync(Cancelled);
        var tooLarge = new ServiceBusMessage(new byte[batch.MaxSizeInBytes + 1]);

        var error = await FailsAsync(ServiceBusFailureReason.MessageSizeExceeded, () =>
            sender.SendMessageAsync(tooLarge, Cancelled)
        );
        await sender.SendMessageAsync(new ServiceBusMessage("small"), Cancelled);

        Assert.False(error.IsTransient);
        Assert.Equal("small", (await OneAsync(Receiver(queue))).Body.ToString());
    }

    [Fact]
    public async Task Full_queue_rejects_messages_until_there_is_room()
    {
        var queue = NewName("queue");
        TheBus.Local.Broker.Entities.Create(new QueueOptions(queue) { MaxSizeInMegabytes = 1 });
        var sender = Client.CreateSender(queue);
        var body = new byte[200_000];
        var error = await FailsAsync(ServiceBusFailureReason.QuotaExceeded, async () =>
        {
            for (var sent = 0; sent < 10; sent++)
                await sender.SendMessageAsync(new ServiceBusMessage(body), Cancelled);
        });
        var receiver = Receiver(queue);
        await receiver.CompleteMessageAsync(await OneAsync(receiver), Cancelled);
        await receiver.CompleteMessageAsync(await OneAsync(receiver), Cancelled);

        await sender.SendMessageAsync(new ServiceBusMessage(body), Cancelled);

        Assert.False(error.IsTransient);
    }

    [Fact]
    public async Task Messages_are_sent_and_received_over_WebSockets()
    {
        var queue = await CreateQueueAsync();
        var client = NewClient(options => options.TransportType = ServiceBusTransportType.AmqpWebSockets);
        // Larger than one frame and one WebSocket message.
        var large = new string('x', 200_000);
        await client.CreateSender(queue).SendMessagesAsync([new(large), new("2")], Cancelled);
        var receiver = client.CreateReceiver(queue);

        var received = await ManyAsync(receiver, 2);
        foreach (var message in received)
            await receiver.CompleteMessageAsync(message, Cancelled);

        Assert.Equal([large, "2"], Bodies(received));
        Assert.Null(await receiver.PeekMessageAsync(fromSequenceNumber: 0, Cancelled));
    }
}
