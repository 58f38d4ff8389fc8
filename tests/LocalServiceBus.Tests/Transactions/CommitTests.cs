namespace DroneDelivery.LocalServiceBus.Tests.Transactions;

public sealed class CommitTests : IDisposable
{
    private readonly TransactionFixture _fixture = new(options => options with { MaxDeliveryCount = 2 });

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Lock_renewed_within_the_transaction_is_valid_at_the_commit()
    {
        var held = Assert.Single(_fixture.Lock("a"));
        var id = _fixture.Declare();
        _fixture.Settle(id, held, Settlement.Complete);
        _fixture.Clock.Advance(TransactionFixture.LockDuration * 0.9);
        Assert.NotNull(_fixture.Orders.RenewLock(held.Token));
        _fixture.Clock.Advance(TransactionFixture.LockDuration * 0.9);

        Assert.Null(_fixture.Commit(id));
        Assert.Empty(_fixture.Snapshot());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Commit_is_rolled_back_when_one_queue_rejects_messages(bool isDeleted)
    {
        var held = Assert.Single(_fixture.Lock("a"));
        var id = _fixture.Declare();
        _fixture.Settle(id, held, Settlement.Complete);
        _fixture.Send(id, _fixture.Invoices, "b");
        if (isDeleted)
            _fixture.Entities.Delete("invoices");
        else
            _fixture.Entities.Update(_fixture.Invoices.Options with { Status = EntityStatus.SendDisabled });
        var refused = _fixture.Commit(id);

        AssertRolledBack(ClientErrors.Of(QueueResult.Disabled, _fixture.Invoices), refused);
        Assert.Equal(["orders a Locked 0"], _fixture.Snapshot());
    }

    [Fact]
    public void Defect_during_a_commit_fails_all_of_its_queues()
    {
        var journal = new RecordingJournal();
        using var fixture = new TransactionFixture(journal: journal);
        var id = fixture.Declare();
        fixture.Send(id, fixture.Orders, "a");
        fixture.Send(id, fixture.Invoices, "b");
        journal.BreaksAt = "b";

        Assert.Equal(ClientErrors.Broken, fixture.Commit(id));
        Assert.NotNull(fixture.Orders.Failure);
        Assert.NotNull(fixture.Invoices.Failure);
    }

    [Fact]
    public void Scheduled_message_gets_its_number_before_the_commit()
    {
        var due = _fixture.Clock.GetUtcNow() + TimeSpan.FromMinutes(1);
        var step = new SendRequest(
            _fixture.Orders,
            [.. new[] { "a", "b" }.Select(text => QueueFixture.Content(text) with { ScheduledEnqueueTime = due })],
            true
        );
        var id = _fixture.Declare();
        _fixture.Transactions.Join(id, step, "orders");
        for (var i = 0; i < 1000; i++)
            _fixture.Orders.Send("later");
        Assert.Equal(1000, _fixture.Orders.Purge());
        _fixture.Orders.Send("latest");
        Assert.Null(_fixture.Commit(id));

        Assert.Equal([1L, 2L], step.Numbers!);
        Assert.Equal([1L, 2L, 1003L], _fixture.Orders.Peek(0, 10).Select(message => message.SequenceNumber));
        Assert.True(_fixture.Orders.CancelScheduled([1]));
        _fixture.Clock.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(["orders latest Active 0", "orders b Active 0"], _fixture.Snapshot());
    }

    [Fact]
    public void Message_due_before_the_commit_is_enqueued_at_the_commit()
    {
        var due = _fixture.Clock.GetUtcNow() + TimeSpan.FromSeconds(1);
        var id = _fixture.Declare();
        var step = new SendRequest(
            _fixture.Orders,
            [QueueFixture.Content("a") with { ScheduledEnqueueTime = due }],
            isNumbered: true
        );
        _fixture.Transactions.Join(id, step, "orders");
        _fixture.Orders.Send("b");
        _fixture.Clock.Advance(TimeSpan.FromSeconds(2));
        _fixture.Commit(id);

        Assert.Equal(["b", "a"], new TestReceiver(_fixture.Orders, 2).Texts);
    }

    [Fact]
    public void Commit_fails_when_the_session_was_released()
    {
        using var fixture = new TransactionFixture(options => options with { RequiresSession = true });
        fixture.Orders.Send(QueueFixture.Content("a", "s"));
        var session = TestSession.Ask(fixture.Orders, "s");
        var held = Assert.Single(session.Receive(1).Locks);
        var id = fixture.Declare();
        fixture.Settle(id, held, Settlement.Complete);
        session.Release();
        var refused = fixture.Commit(id);

        AssertRolledBack(ClientErrors.SessionLockLost, refused);
        Assert.Equal(["orders a Active 0"], fixture.Snapshot());
    }

    [Fact]
    public void Message_sent_to_a_topic_reaches_subscriptions_at_the_commit()
    {
        var topic = _fixture.Entities.Create(new QueueOptions("events") { Kind = EntityKind.Topic }).Topic!;
        var subscription = _fixture.Entities.Create(QueueOptions.OfSubscription("events", "all"));
        var id = _fixture.Declare();
        _fixture.Send(id, topic.Intake, "a");
        Assert.Equal(0, subscription.Counts().Active);
        _fixture.Commit(id);

        Assert.Equal((1, "events"), (subscription.Counts().Active, subscription.DeadLetterQueue!.TopLevel));
    }

    [Fact]
    public async Task Concurrent_transactions_over_the_same_queues_do_not_deadlock()
    {
        const int Threads = 4,
            Rounds = 200;
        var locks = _fixture
            .Lock([.. Enumerable.Range(0, Threads * Rounds).Select(i => $"{i}")])
            .Chunk(Rounds)
            .ToArray();
        var running = Enumerable
            .Range(0, Threads)
            .Select(thread =>
                Task.Factory.StartNew(
                    () => CommitMany(locks[thread], thread),
                    CancellationToken.None,
                    TaskCreationOptions.LongRunning,
                    TaskScheduler.Default
                )
            );
        await Task.WhenAll(running).WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);

        Assert.Equal(Threads * Rounds, _fixture.Invoices.Counts().Active);
        Assert.Equal(
            (Threads * Rounds, 0, Threads * Rounds),
            (_fixture.Orders.Counts().Active, _fixture.Orders.Counts().Locked, _fixture.Orders.Counts().DeadLetter)
        );
    }

    private static void AssertRolledBack(AmqpError why, AmqpError? refused)
    {
        Assert.Equal(ErrorConditions.TransactionRollback, refused!.Condition);
        Assert.EndsWith(why.Description!, refused.Description, StringComparison.Ordinal);
    }

    private void CommitMany(MessageLock[] locks, int thread)
    {
        using var transactions = new ClientTransactions(_fixture.Entities, 1, _ => true, _ => { }, () => { });
        foreach (var (round, held) in locks.Index())
        {
            Queue[] queues =
                (thread + round) % 2 == 0 ? [_fixture.Orders, _fixture.Invoices] : [_fixture.Invoices, _fixture.Orders];
            var id = ((Declared)transactions.Declare(this)).TxnId;
            foreach (var queue in queues)
                transactions.Join(id, new SendRequest(queue, [QueueFixture.Content("a")]), "orders");
            transactions.Join(
                id,
                new SettleRequest(_fixture.Orders, held.Token, new Settlement.DeadLettered("bad")),
                "orders"
            );
            transactions.Discharge(new Discharge(id));
        }
    }

    [Fact]
    public void Commit_during_shutdown_changes_nothing()
    {
        var journal = new RecordingJournal();
        using var fixture = new TransactionFixture(journal: journal);
        var held = fixture.Lock("a")[0];
        var transaction = fixture.Declare();
        fixture.Send(transaction, fixture.Invoices, "b");
        fixture.Settle(transaction, held, Settlement.Complete);
        journal.EndMoves();

        Assert.Equal(ClientErrors.Broken, fixture.Commit(transaction));
        Assert.Equal(["orders a Locked 0"], fixture.Snapshot());
        Assert.Null(fixture.Orders.Failure);
    }
}
