namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class MessageStoreTests
{
    [Fact]
    public void Messages_that_passed_through_leave_nothing_behind()
    {
        var store = new MessageStore(new MemoryShare(new MemoryUse(long.MaxValue)));
        for (var number = 1L; number <= 100_000; number++)
        {
            var message = new QueuedMessage(QueueFixture.Content("a"), DateTimeOffset.UnixEpoch) { SequenceNumber = number };
            store.Add(message, MessageState.Active);
            store.Remove(message);
        }
        Assert.InRange(store.ChunkCount, 0, 2);
        Assert.Equal(0, store.Count);
    }
}
