using DroneDelivery.LocalServiceBus.Transactions;

namespace DroneDelivery.LocalServiceBus.Tests.Transactions;

/// <summary>How long transactions live, and what one client may have in them.</summary>
public sealed class TransactionTableTests : IDisposable
{
    private static readonly TimeSpan Moment = TimeSpan.FromMilliseconds(1);

    private readonly TransactionFixture _fixture = new(room: 3000);

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void A_transaction_is_rolled_back_two_minutes_after_its_first_step()
    {
        var id = _fixture.Declare();
        _fixture.Clock.Advance(TimeSpan.FromMinutes(10));
        Assert.Null(_fixture.Send(id, _fixture.Orders, "a"));
        _fixture.Clock.Advance(TransactionTable.Patience - Moment);
        Assert.Null(_fixture.Send(id, _fixture.Orders, "b"));
        Assert.Equal(1, _fixture.Table.Count);
        _fixture.Clock.Advance(Moment);

        Assert.Equal((0, 0L), (_fixture.Table.Count, _fixture.Kept));
        Assert.IsType<TransactionRefusal.Unknown>(_fixture.Commit(id));
        Assert.Empty(_fixture.Look());
    }

    [Fact]
    public void What_an_owner_has_not_discharged_is_rolled_back_with_its_end()
    {
        var mine = _fixture.Declare();
        var other = _fixture.Table.Declare(new object())!.Value;
        _fixture.Send(mine, _fixture.Orders, "mine");
        _fixture.Send(other, _fixture.Orders, "other");
        _fixture.Table.Close(_fixture);

        Assert.IsType<TransactionRefusal.Unknown>(_fixture.Commit(mine));
        Assert.Null(_fixture.Commit(other));
        Assert.Equal(["orders other Active 0"], _fixture.Look());
        Assert.Equal(0, _fixture.Kept);
    }

    [Fact]
    public void A_transaction_sends_no_more_than_a_hundred_messages()
    {
        var id = _fixture.Declare();
        var contents = Enumerable.Range(0, Transaction.MostSent + 1).Select(i => QueueFixture.Content($"{i}")).ToArray();
        using var roomy = new TransactionFixture();
        var other = roomy.Declare();
        Assert.IsType<TransactionRefusal.TooManyMessages>(_fixture.Table.Join(id, new SendRequest(_fixture.Orders, contents), "orders"));
        Assert.Null(roomy.Table.Join(other, new SendRequest(roomy.Orders, contents[1..]), "orders"));
        Assert.IsType<TransactionRefusal.TooManyMessages>(roomy.Send(other, roomy.Orders, "one more"));

        Assert.Null(roomy.Commit(other));
        Assert.Equal(Transaction.MostSent, roomy.Orders.Counts().Active);
    }

    [Fact]
    public void A_transaction_settles_and_cancels_no_more_than_a_thousand_messages()
    {
        using var roomy = new TransactionFixture();
        var id = roomy.Declare();
        var locks = roomy.Lock([.. Enumerable.Range(0, Transaction.MostOthers + 1).Select(i => $"{i}")]);
        Assert.All(locks[1..], held => Assert.Null(roomy.Settle(id, held, Settlement.Complete)));
        Assert.IsType<TransactionRefusal.TooManyMessages>(roomy.Settle(id, locks[0], Settlement.Complete));

        Assert.Null(roomy.Commit(id));
        Assert.Equal(1, roomy.Orders.Counts().Locked);
    }

    [Fact]
    public void What_waits_in_transactions_has_room_until_they_end()
    {
        var (first, second) = (_fixture.Declare(), _fixture.Declare());
        var large = new string('x', 1500);
        Assert.Null(_fixture.Send(first, _fixture.Orders, large));
        Assert.IsType<TransactionRefusal.TooManyBytes>(_fixture.Send(second, _fixture.Orders, large));
        _fixture.Commit(first);

        Assert.Null(_fixture.Send(second, _fixture.Orders, large));
        _fixture.RollBack(second);
        Assert.Equal(0, _fixture.Kept);
    }
}
