using DroneDelivery.Amqp;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Messages;

public sealed class MessageBatchTests
{
    private static ServiceBusMessageBatch Batch(long limit) =>
        new(limit, new BusDiagnostics("localhost", "orders"), new ManualTimeProvider());

    [Fact]
    public void The_size_that_it_tells_is_the_size_that_it_sends()
    {
        using var batch = Batch(100_000);
        foreach (var length in new[] { 0, 10, 300, 70_000 })
            Assert.True(batch.TryAddMessage(new ServiceBusMessage(new byte[length]) { MessageId = $"{length}" }));

        Assert.Equal(4, batch.Count);
        Assert.Equal(batch.SizeInBytes, batch.ToTransfer().Bytes.Length);
    }

    [Fact]
    public void The_size_is_right_where_the_length_of_a_message_begins_to_need_four_bytes()
    {
        var lengths = new HashSet<int>();
        for (var body = 180; body < 270; body++)
        {
            using var batch = Batch(100_000);
            batch.TryAddMessage(new ServiceBusMessage(new byte[body]));
            batch.TryAddMessage(new ServiceBusMessage(new byte[body]));
            var bytes = batch.ToTransfer().Bytes;

            Assert.Equal(batch.SizeInBytes, bytes.Length);
            lengths.Add(AmqpMessage.Decode(bytes).Data![0].Length);
        }

        Assert.Superset(new HashSet<int> { 254, 255, 256, 257 }, lengths);
    }

    [Fact]
    public void What_does_not_fit_stays_out()
    {
        using var batch = Batch(1000);
        Assert.True(batch.TryAddMessage(new ServiceBusMessage(new byte[400])));
        var size = batch.SizeInBytes;

        Assert.False(batch.TryAddMessage(new ServiceBusMessage(new byte[700])));
        Assert.Equal((1, size), (batch.Count, batch.SizeInBytes));
        Assert.True(batch.TryAddMessage(new ServiceBusMessage(new byte[400])));
        Assert.InRange(batch.SizeInBytes, 801, 1000);
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(-1, false)]
    public void A_batch_may_be_filled_to_the_byte(int more, bool fits)
    {
        var message = new ServiceBusMessage(new byte[400]) { MessageId = "1" };
        using var measuring = Batch(1000);
        measuring.TryAddMessage(message);
        using var batch = Batch(measuring.SizeInBytes + more);
        Assert.Equal(fits, batch.TryAddMessage(message));
    }

    [Fact]
    public void Several_messages_go_as_data_sections_of_an_envelope_that_repeats_the_first_id()
    {
        using var batch = Batch(100_000);
        batch.TryAddMessage(new ServiceBusMessage("one") { MessageId = "1", SessionId = "s", PartitionKey = "p" });
        batch.TryAddMessage(new ServiceBusMessage("two") { MessageId = "2" });

        var (bytes, format) = batch.ToTransfer();
        var envelope = AmqpMessage.Decode(bytes);

        Assert.Equal(0x80013700, format);
        Assert.Equal("1", envelope.Properties!.MessageId);
        Assert.Equal("s", envelope.Properties.GroupId);
        Assert.Equal("p", envelope.MessageAnnotations!["x-opt-partition-key"]);
        Assert.Equal(["one", "two"], envelope.Data!.Select(section => MessageConversion.FromAmqp(section, Guid.Empty).Body.ToString()));
    }

    [Fact]
    public void One_message_goes_without_an_envelope()
    {
        using var batch = Batch(100_000);
        batch.TryAddMessage(new ServiceBusMessage("one"));

        var (bytes, format) = batch.ToTransfer();

        Assert.Equal(0u, format);
        Assert.Equal("one", MessageConversion.FromAmqp(bytes, Guid.Empty).Body.ToString());
    }
}
