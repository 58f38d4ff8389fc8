namespace DroneDelivery.LocalServiceBus.Tests.Entities;

public sealed class DeferredMessageTests : IDisposable
{
    private readonly QueueFixture _fixture = new(options => options with { MaxDeliveryCount = 3 });

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void A_deferred_message_waits_until_it_is_asked_for_by_number()
    {
        var number = Defer("a");
        Assert.Empty(_fixture.Receive(1).Texts);
        var (message, held) = Assert.Single(_fixture.Queue.ReceiveDeferred([number], ReceiveMode.PeekLock)!);
        Assert.True(message.IsDeferred);
        Assert.Equal(QueueResult.Done, _fixture.Queue.Settle(held!.Token, Settlement.Complete));
        Assert.Equal(0, _fixture.Queue.Counts().Deferred);
    }

    [Fact]
    public void It_stays_deferred_when_it_comes_back()
    {
        var number = Defer("a");
        var held = _fixture.Queue.ReceiveDeferred([number], ReceiveMode.PeekLock)![0].Lock!;
        _fixture.Queue.Settle(held, new Settlement.Abandoned());
        Assert.NotNull(_fixture.Queue.ReceiveDeferred([number], ReceiveMode.PeekLock));
        _fixture.Clock.Advance(TimeSpan.FromSeconds(30));
        Assert.Equal(1, _fixture.Queue.Counts().Deferred);
        Assert.Empty(_fixture.Receive(1).Texts);
    }

    [Fact]
    public void Of_several_that_are_too_large_for_one_answer_none_is_taken()
    {
        long[] numbers = [Defer("a"), Defer("b")];
        Assert.Empty(_fixture.Queue.ReceiveDeferred(numbers, ReceiveMode.ReceiveAndDelete, mostBytes: 1)!);
        Assert.Equal(2, _fixture.Queue.Counts().Deferred);
        Assert.Single(_fixture.Queue.ReceiveDeferred(numbers[..1], ReceiveMode.ReceiveAndDelete, mostBytes: 1)!);
    }

    [Fact]
    public void Its_failed_deliveries_count()
    {
        var number = Defer("a");
        for (var i = 0; i < 3; i++)
            _fixture.Queue.Settle(_fixture.Queue.ReceiveDeferred([number], ReceiveMode.PeekLock)![0].Lock!, new Settlement.Abandoned());
        Assert.Equal((0, 1), (_fixture.Queue.Counts().Deferred, _fixture.Queue.Counts().DeadLetter));
    }

    [Fact]
    public void A_message_that_is_not_deferred_or_locked_already_is_not_found_and_none_is_taken()
    {
        var number = Defer("a");
        var active = _fixture.Send(QueueFixture.Content("b"));
        Assert.Null(_fixture.Queue.ReceiveDeferred([number, active], ReceiveMode.PeekLock));
        Assert.Null(_fixture.Queue.ReceiveDeferred([number, 99], ReceiveMode.PeekLock));
        Assert.NotNull(_fixture.Queue.ReceiveDeferred([number], ReceiveMode.PeekLock));
        Assert.Null(_fixture.Queue.ReceiveDeferred([number], ReceiveMode.PeekLock));
    }

    [Fact]
    public void Receive_and_delete_takes_it_away()
    {
        var number = Defer("a");
        Assert.Null(Assert.Single(_fixture.Queue.ReceiveDeferred([number], ReceiveMode.ReceiveAndDelete)!).Lock);
        var counts = _fixture.Queue.Counts();
        Assert.Equal((0, 1), (counts.Deferred + counts.Locked, counts.Completed));
    }

    private long Defer(string text)
    {
        var number = _fixture.Send(QueueFixture.Content(text));
        _fixture.Queue.Settle(_fixture.Receive(1).Locks[0], new Settlement.Deferred());
        return number;
    }
}
