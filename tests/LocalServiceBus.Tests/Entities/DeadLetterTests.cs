namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class DeadLetterTests : IDisposable
{
    private readonly QueueFixture _fixture = new();

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void A_dead_lettered_message_carries_reason_description_and_properties()
    {
        _fixture.Send("a");
        var held = Assert.Single(_fixture.Receive(1).Locks);
        _fixture.Queue.Settle(
            held,
            new Settlement.DeadLettered("Unparsable", "no JSON", new Dictionary<string, object?> { ["by"] = "test" }));
        var dead = Assert.Single(_fixture.DeadLetters.Peek(0, 10));
        Assert.Equal("a", QueueFixture.TextOf(dead));
        Assert.Equal("Unparsable", dead.ChangedProperties!["DeadLetterReason"]);
        Assert.Equal("no JSON", dead.ChangedProperties["DeadLetterErrorDescription"]);
        Assert.Equal("test", dead.ChangedProperties["by"]);
        Assert.Equal(held.SequenceNumber, dead.EnqueuedSequenceNumber);
    }

    [Fact]
    public void Its_reason_is_that_of_the_end_whatever_was_said_before()
    {
        _fixture.Send("a");
        var before = new Dictionary<string, object?> { ["DeadLetterReason"] = "Guessed", ["by"] = "test" };
        _fixture.Queue.Settle(_fixture.Receive(1).Locks[0], new Settlement.Abandoned(before));
        _fixture.Queue.Settle(_fixture.Receive(1).Locks[0], new Settlement.DeadLettered("Unparsable"));
        var dead = Assert.Single(_fixture.DeadLetters.Peek(0, 10));
        Assert.Equal(("Unparsable", "test"), (dead.ChangedProperties!["DeadLetterReason"], dead.ChangedProperties["by"]));
    }

    [Fact]
    public async Task A_receiver_of_the_dead_letter_queue_gets_what_arrives_there()
    {
        var arrived = new TaskCompletionSource<MessageLock>();
        var deadLetters = new TestReceiver(_fixture.DeadLetters, 0) { OnDelivered = held => arrived.TrySetResult(held!) };
        deadLetters.Grant(1);
        _fixture.Send("a");
        _fixture.Queue.Settle(_fixture.Receive(1).Locks[0], new Settlement.DeadLettered());
        var held = await arrived.Task.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
        Assert.Equal(QueueResult.Done, _fixture.DeadLetters.Settle(held, Settlement.Complete));
        Assert.Equal(0, _fixture.Queue.Counts().DeadLetter);
    }

    [Fact]
    public void A_message_in_the_dead_letter_queue_cannot_be_dead_lettered_and_comes_back_without_limit()
    {
        _fixture.Send("a");
        _fixture.Queue.Settle(_fixture.Receive(1).Locks[0], new Settlement.DeadLettered());
        var receiver = new TestReceiver(_fixture.DeadLetters, 1);
        Assert.Equal(QueueResult.NotAllowed, _fixture.DeadLetters.Settle(receiver.Locks[0], new Settlement.DeadLettered()));
        for (var i = 0; i < 20; i++)
        {
            Assert.Equal(QueueResult.Done, _fixture.DeadLetters.Settle(receiver.Locks[^1], new Settlement.Abandoned()));
            receiver.Grant(1);
        }
        Assert.Equal(21, receiver.Texts.Count);
        Assert.Equal(20, receiver.Messages[^1].DeliveryCount);
    }
}
