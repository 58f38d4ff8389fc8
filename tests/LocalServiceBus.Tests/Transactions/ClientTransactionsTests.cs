namespace DroneDelivery.LocalServiceBus.Tests.Transactions;

public sealed class ClientTransactionsTests : IDisposable
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(1);

    private readonly TransactionFixture _fixture = new();

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Transaction_is_rolled_back_two_minutes_after_its_first_step()
    {
        var id = _fixture.Declare();
        _fixture.Clock.Advance(TimeSpan.FromMinutes(10));
        Assert.Null(_fixture.Send(id, _fixture.Orders, "a"));
        _fixture.Clock.Advance(ClientTransactions.Timeout - Moment);
        Assert.Null(_fixture.Send(id, _fixture.Orders, "b"));
        Assert.Equal(1, _fixture.Transactions.Count);
        _fixture.Clock.Advance(Moment);

        Assert.Equal((0, 0L), (_fixture.Transactions.Count, _fixture.Kept));
        Assert.Equal(ClientErrors.UnknownTransaction, _fixture.Commit(id));
        Assert.Empty(_fixture.Snapshot());
    }

    [Fact]
    public void Number_of_steps_in_a_transaction_is_limited()
    {
        var locks = _fixture.Lock([.. Enumerable.Range(0, Transaction.MaxOthers + 1).Select(i => $"{i}")]);
        var id = _fixture.Declare();
        string[] texts = [.. Enumerable.Range(0, Transaction.MaxSent + 1).Select(i => $"{i}")];
        Assert.Equal(ClientErrors.TooManyMessages, _fixture.Send(id, _fixture.Orders, texts));
        Assert.Null(_fixture.Send(id, _fixture.Orders, texts[1..]));
        Assert.Equal(ClientErrors.TooManyMessages, _fixture.Send(id, _fixture.Orders, "one more"));
        Assert.All(locks[1..], held => Assert.Null(_fixture.Settle(id, held, Settlement.Complete)));
        Assert.Equal(ClientErrors.TooManyMessages, _fixture.Settle(id, locks[0], Settlement.Complete));

        Assert.Null(_fixture.Commit(id));
        Assert.Equal((Transaction.MaxSent, 1), (_fixture.Orders.Counts().Active, _fixture.Orders.Counts().Locked));
    }
}
