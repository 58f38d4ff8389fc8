namespace Azure.Messaging.ServiceBus.Tests.Receiver;

public sealed class WaitingReceivesTests
{
    private readonly WaitingReceives _waiting = new();

    [Fact]
    public void Who_waits_longest_is_served_first()
    {
        var (first, second) = (_waiting.Add(1), _waiting.Add(1));

        Assert.True(Give(1));
        Assert.True(first.First.IsCompletedSuccessfully);
        Assert.False(second.First.IsCompleted);
        Assert.True(Give(2));
        Assert.Equal((1u, 2u), (first.Received[0].DeliveryId, second.Received[0].DeliveryId));
        Assert.False(Give(3));
    }

    [Fact]
    public void A_batch_has_its_first_before_it_is_full_and_takes_no_more_than_it_wants()
    {
        var batch = _waiting.Add(2);

        Give(1);
        Assert.Equal((true, false, 1), (batch.First.IsCompleted, batch.Full.IsCompleted, batch.Missing));
        Give(2);

        Assert.Equal((true, 0), (batch.Full.IsCompleted, batch.Missing));
        Assert.False(Give(3));
    }

    [Fact]
    public void What_is_wanted_is_what_those_who_wait_still_miss()
    {
        var (single, batch) = (_waiting.Add(1), _waiting.Add(5));
        _waiting.Add(1);
        Assert.Equal((2, 5L), (_waiting.Singles, _waiting.Batched));

        Give(1);
        Assert.Equal((1, 5L), (_waiting.Singles, _waiting.Batched));
        Give(2);
        _waiting.Remove(single);
        Assert.Equal((1, 4L), (_waiting.Singles, _waiting.Batched));
        _waiting.Remove(batch);
        Assert.Equal((1, 0L), (_waiting.Singles, _waiting.Batched));
        Assert.Single(_waiting.RemoveAll());
        Assert.Equal((0, 0L), (_waiting.Singles, _waiting.Batched));
        Assert.False(Give(3));
    }

    [Fact]
    public async Task At_the_end_of_the_link_a_batch_keeps_what_it_has_and_others_fail()
    {
        var (batch, single, empty) = (_waiting.Add(2), _waiting.Add(1), _waiting.Add(2));
        Give(1);

        foreach (var one in _waiting.RemoveAll())
            one.Fail(new InvalidOperationException());

        await batch.First;
        await batch.Full;
        Assert.Single(batch.Received);
        await Assert.ThrowsAsync<InvalidOperationException>(() => single.First);
        await Assert.ThrowsAsync<InvalidOperationException>(() => empty.First);
    }

    private bool Give(uint number) => _waiting.TryGive(new Arrival(number, Guid.NewGuid(), default));
}
