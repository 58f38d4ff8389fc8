namespace DroneDelivery.LocalServiceBus.Tests.Entities;

/// <summary>
/// A queue never occupies more memory than it charges to its quota, whatever senders and receivers send.
/// </summary>
public sealed class MemoryTests : IDisposable
{
    private readonly QueueFixture _fixture = new(options =>
        options with
        {
            RequiresDuplicateDetection = true,
            MaxDeliveryCount = 2000,
        }
    );

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Locked_messages_are_charged_in_full() =>
        AssertCharged(() =>
        {
            for (var i = 0; i < 20_000; i++)
                Send(new AmqpMessage { Value = 1 }.ToArray());
            var left = 20_000;
            using var all = new ManualResetEventSlim();
            var receiver = _fixture.Queue.AddReceiver(
                ReceiveMode.PeekLock,
                (_, _) =>
                {
                    if (--left > 0)
                        return DeliveryResult.SentWantsMore;
                    all.Set();
                    return DeliveryResult.SentEnough;
                },
                Assert.Null
            );
            receiver.Signal();
            Assert.True(all.Wait(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken));
            receiver.Close();
        });

    [Fact]
    public void Annotations_stay_encoded()
    {
        // One byte each, but dozens of bytes when they are decoded.
        var nulls = new List<object?>(Enumerable.Repeat<object?>(0u, 60_000));
        var message = new AmqpMessage
        {
            MessageAnnotations = new() { ["x-nulls"] = nulls, ["x-opt-sequence-number"] = 1L },
            Value = "a",
        }.ToArray();
        Assert.InRange(message.Length, 60_000, 64 * 1024);
        AssertCharged(() =>
        {
            for (var i = 0; i < 50; i++)
                Send([.. message]);
        });
    }

    [Fact]
    public void Ids_of_completed_messages_are_charged() =>
        AssertCharged(() =>
        {
            for (var i = 0; i < 5_000; i++)
            {
                Send(
                    new AmqpMessage
                    {
                        Properties = new() { MessageId = $"{i}-{new string('x', 100)}" },
                        Value = 1,
                    }.ToArray()
                );
            }

            _fixture.Queue.Purge();
        });

    [Fact]
    public void Rest_of_a_batch_does_not_keep_the_others_in_memory() =>
        AssertCharged(() =>
        {
            for (var i = 0; i < 50; i++)
            {
                // With their own ids: a message that gets one from the broker is copied anyway.
                var small = new AmqpMessage
                {
                    Properties = new() { MessageId = $"small {i}" },
                    Value = 1,
                }.ToArray();
                var large = new AmqpMessage
                {
                    Properties = new() { MessageId = $"large {i}" },
                    Value = new string('x', 200_000),
                }.ToArray();
                var batch = new AmqpMessage { Data = [small, large] }.ToArray();
                Send(IncomingMessage.Read(batch, IncomingMessage.BatchFormat, withMessageId: true));
                var locks = _fixture.Receive(2).Locks;
                _fixture.Queue.Settle(locks[0], new Settlement.Deferred());
                _fixture.Queue.Settle(locks[1], Settlement.Complete);
            }
        });

    [Fact]
    public void Properties_changed_by_receivers_are_charged()
    {
        for (var i = 0; i < 200; i++)
            Send(new AmqpMessage { Value = 1 }.ToArray());
        var locks = _fixture.Receive(200).Locks;
        AssertCharged(() =>
        {
            foreach (var held in locks)
            {
                var many = Enumerable
                    .Range(0, 300)
                    .ToDictionary(i => $"property-{i}", i => (object?)(i % 2 == 0 ? i : new string('y', 50)));
                Assert.Equal(QueueResult.Done, _fixture.Queue.Settle(held, new Settlement.Deferred(many)));
            }
        });
    }

    private void AssertCharged(Action work)
    {
        var retainedBefore = RetainedBytes.Of(_fixture.Queue);
        var chargedBefore = _fixture.Queue.Counts().SizeInBytes;
        work();
        var retained = RetainedBytes.Of(_fixture.Queue) - retainedBefore;
        var charged = _fixture.Queue.Counts().SizeInBytes - chargedBefore;
        Assert.True(retained <= charged, $"{retained} bytes are retained, {charged} charged");
    }

    private void Send(byte[] encoded) => Send(IncomingMessage.Read(encoded, format: 0, withMessageId: true));

    private void Send(MessageContent[] messages) =>
        Assert.Equal(QueueResult.Done, _fixture.Queue.Enqueue(messages, new long[messages.Length]));
}
