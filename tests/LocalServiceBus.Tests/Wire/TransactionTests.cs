using DroneDelivery.Amqp.Tests.Support;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>Transactions frame by frame, as SDKs use them, with a manual clock.</summary>
public sealed class TransactionTests : FrontEndTest, IAsyncLifetime
{
    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(30);

    private static readonly DescribedValue Complete = RawPeer.Composite(Accepted.Code);

    private static readonly AmqpFrontEndOptions Options = new()
    {
        Connection = new() { IdleTimeout = TimeSpan.Zero, MaxPartialBytes = 100_000 },
        MaxTransactions = 3,
    };

    private readonly ManualTimeProvider _clock;
    private readonly Queue _orders;
    private readonly Queue _invoices;
    private TransactionPeer _peer = null!;

    public TransactionTests()
        : this(new()) { }

    private TransactionTests(ManualTimeProvider clock)
        : base(clock, Options)
    {
        _clock = clock;
        _orders = _entities.Create(
            new QueueOptions("orders") { LockDuration = LockDuration, MaxMessageSize = 1024 * 1024 }
        );
        _invoices = _entities.Create(new QueueOptions("invoices"));
    }

    public async ValueTask InitializeAsync()
    {
        _peer = await DialAsync();
        Assert.Null(await _peer.CoordinateAsync());
    }

    [Fact]
    public async Task Sends_in_a_transaction_are_visible_after_the_commit()
    {
        var sender = await SenderAsync("orders");
        var id = await _peer.DeclareAsync();
        var state = await _peer.SendAsync(sender, id, "a");

        Assert.Equal(TransactionalState.Code, state.Descriptor);
        var fields = Assert.IsType<List<object?>>(state.Value);
        Assert.Equal(id, fields[0]);
        Assert.Equal(Accepted.Code, Assert.IsType<DescribedValue>(fields[1]).Descriptor);
        var batch = new AmqpMessage { Data = [Encode("b"), Encode("c")] };
        Assert.Null(ConditionOf(await _peer.SendAsync(sender, id, batch.ToArray(), IncomingMessage.BatchFormat)));
        Assert.Equal(0, _orders.Counts().Incoming);
        Assert.Equal(Accepted.Code, (await _peer.DischargeAsync(id)).Descriptor);
        Assert.Equal(3, _orders.Counts().Active);
    }

    [Theory]
    [InlineData(Accepted.Code, 0, 0, 0)]
    [InlineData(Released.Code, 1, 0, 0)]
    [InlineData(Modified.Code, 1, 0, 0)]
    [InlineData(Modified.Code, 0, 1, 0, true)] // Unlike here, not deliverable.
    [InlineData(Rejected.Code, 0, 0, 1)]
    public async Task Settlement_in_a_transaction_takes_effect_at_the_commit(
        ulong outcome,
        int active,
        int deferred,
        int dead,
        bool isDeferral = false
    )
    {
        var received = await ReceiveAsync("a", credit: 1);
        var id = await _peer.DeclareAsync();
        var state = await _peer.SettleAsync(
            received.Id,
            id,
            isDeferral ? RawPeer.Composite(outcome, false, true) : RawPeer.Composite(outcome)
        );

        Assert.Equal(TransactionalState.Code, state.Descriptor);
        Assert.Equal(outcome, Assert.IsType<DescribedValue>(Assert.IsType<List<object?>>(state.Value)[1]).Descriptor);
        Assert.Equal(1, _orders.Counts().Locked);
        await _peer.DischargeAsync(id);
        var counts = _orders.Counts();
        Assert.Equal((active, deferred, dead, 0), (counts.Active, counts.Deferred, counts.DeadLetter, counts.Locked));
    }

    [Fact]
    public async Task Transaction_of_another_connection_is_unknown()
    {
        var sender = await SenderAsync("orders");
        var other = await DialAsync();
        await other.CoordinateAsync();
        var id = await other.DeclareAsync();
        byte[][] unknown = [id, new byte[16], [1], []];

        foreach (var transaction in unknown)
        {
            Assert.Equal("amqp:transaction:unknown-id", ConditionOf(await _peer.SendAsync(sender, transaction, "a")));
            Assert.Equal("amqp:transaction:unknown-id", ConditionOf(await _peer.DischargeAsync(transaction)));
        }
        var received = await ReceiveAsync("a");
        Assert.Equal("amqp:transaction:unknown-id", ConditionOf(await _peer.SettleAsync(received.Id, id, Complete)));
        Assert.Equal(1, _orders.Counts().Locked);
        Assert.Null(ConditionOf(await other.DischargeAsync(id)));
        var withoutCoordinator = await DialAsync();
        var (its, _) = await withoutCoordinator.SenderAsync("orders");
        Assert.Equal(
            "amqp:transaction:unknown-id",
            ConditionOf(await withoutCoordinator.SendAsync(its, new byte[16], "a"))
        );
    }

    [Fact]
    public async Task Detaching_the_coordinator_rolls_back()
    {
        var sender = await SenderAsync("orders");
        var id = await _peer.DeclareAsync();
        await _peer.SendAsync(sender, id, "a");
        var first = _peer.Coordinator;
        await _peer.CoordinateAsync();
        var other = await _peer.DeclareAsync();
        await _peer.SendAsync(sender, other, "b");
        await _peer.DetachAsync(first);

        Assert.Equal("amqp:transaction:unknown-id", ConditionOf(await _peer.DischargeAsync(id)));
        Assert.Null(ConditionOf(await _peer.DischargeAsync(other)));
        Assert.Equal(1, _orders.Counts().Incoming);
    }

    [Fact]
    public async Task Closing_the_connection_rolls_back_and_keeps_the_lock()
    {
        var received = await ReceiveAsync("a");
        var id = await _peer.DeclareAsync();
        await _peer.SettleAsync(received.Id, id, Complete);
        await _peer.HangUpAsync();

        Assert.Equal(1, _orders.Counts().Locked);
        Assert.Equal(QueueResult.Done, _orders.Settle(received.Token, Settlement.Complete));
    }

    [Fact]
    public async Task Open_transactions_and_their_size_are_limited()
    {
        var sender = await SenderAsync("orders");
        var id = await _peer.DeclareAsync();
        var large = Encode(new string('x', 60_000));
        Assert.Null(ConditionOf(await _peer.SendAsync(sender, id, large)));
        Assert.Equal("amqp:resource-limit-exceeded", ConditionOf(await _peer.SendAsync(sender, id, large)));
        Assert.Null(ConditionOf(await _peer.DischargeAsync(id)));
        var next = await _peer.DeclareAsync();

        Assert.Null(ConditionOf(await _peer.SendAsync(sender, next, large)));
        for (var i = 0; i < 2; i++)
            await _peer.DeclareAsync();
        Assert.Equal("amqp:resource-limit-exceeded", ConditionOf(await _peer.CommandAsync(new Declare())));
    }

    [Fact]
    public async Task Transaction_with_a_failed_settled_step_is_rolled_back()
    {
        var received = await ReceiveAsync("a");
        var sender = await SenderAsync("orders");
        var id = await _peer.DeclareAsync();
        await _peer.SendAsync(sender, id, "b");
        _orders.Settle(received.Token, Settlement.Complete);
        await _peer.SettleAsync(received.Id, id, Complete, settled: true);

        var unreadable = await _peer.DeclareAsync();
        await _peer.SendSettledAsync(sender, unreadable, [0x40]);

        foreach (var transaction in new[] { id, unreadable })
            Assert.Equal("amqp:transaction:rollback", ConditionOf(await _peer.DischargeAsync(transaction)));
        Assert.Equal(1, _orders.Counts().Incoming);
    }

    [Fact]
    public async Task Settled_steps_take_effect_at_the_commit()
    {
        var received = await ReceiveAsync("a", credit: 1);
        var sender = await SenderAsync("orders");
        var id = await _peer.DeclareAsync();
        await _peer.SettleAsync(received.Id, id, Complete, settled: true);
        await _peer.SendSettledAsync(sender, id, Encode("b"));
        await _peer.RoundTripAsync();
        Assert.Equal((1, 0), (_orders.Counts().Locked, _orders.Counts().Active));

        Assert.Null(ConditionOf(await _peer.DischargeAsync(id)));
        Assert.Equal((0, 1), (_orders.Counts().Locked, _orders.Counts().Active));
    }

    [Fact]
    public async Task Frames_before_the_discharge_are_handled_first()
    {
        var received = await ReceiveAsync("a", credit: 1);
        var node = await _peer.NodeAsync("orders/$management");
        var id = await _peer.DeclareAsync();
        await _peer.AskAsync(
            node,
            id,
            "update-disposition",
            ("lock-tokens", new[] { received.Token }),
            ("disposition-status", "completed")
        );

        var answer = await _peer.SettleAndDischargeAsync(received.Id, RawPeer.Composite(Released.Code), id);
        Assert.Equal("amqp:transaction:rollback", ConditionOf(answer));
        Assert.Equal((0, 1), (_orders.Counts().Completed, _orders.Counts().Active));
    }

    [Fact]
    public async Task Coordinator_grants_only_supported_capabilities()
    {
        var other = await DialAsync();
        var refused = await other.CoordinateAsync(
            capabilities: ["amqp:local-transactions", "amqp:distributed-transactions"]
        );
        Assert.Equal("amqp:precondition-failed", refused?.Condition.Value);

        Assert.Null(
            await other.CoordinateAsync(
                capabilities: ["amqp:local-transactions", "amqp:multi-txns-per-ssn", "amqp:multi-ssns-per-txn"]
            )
        );
    }

    [Fact]
    public async Task Invalid_command_is_rejected_and_the_coordinator_stays_usable()
    {
        byte[][] wrong = [Encode("a"), [0x40], new AmqpMessage { Value = "declare" }.ToArray(), new byte[2000]];
        foreach (var payload in wrong)
            Assert.NotNull(ConditionOf(await _peer.SendAsync(_peer.Coordinator, null, payload)));

        Assert.Equal(16, (await _peer.DeclareAsync()).Length);
    }

    [Fact]
    public async Task Send_on_another_session_cannot_join_the_transaction()
    {
        await _peer.BeginAsync(1);
        var (sender, _) = await _peer.SenderAsync("invoices", channel: 1);
        var received = await ReceiveAsync("a");
        var id = await _peer.DeclareAsync();
        await _peer.SettleAsync(received.Id, id, Complete);

        Assert.Equal("amqp:not-allowed", ConditionOf(await _peer.SendAsync(sender, id, "b", channel: 1)));
        Assert.Null(ConditionOf(await _peer.DischargeAsync(id)));
        Assert.Equal((1, 0), (_orders.Counts().Completed, _invoices.Counts().Incoming));
    }

    [Theory]
    [InlineData("invoices")]
    [InlineData("invoices/$management")]
    public async Task Coordinators_session_can_receive_from_one_queue_only(string address)
    {
        await SenderAsync("orders");
        Assert.Null((await _peer.ReceiverAsync("orders/$DeadLetterQueue")).Error);

        Assert.Equal("amqp:not-allowed", (await _peer.ReceiverAsync(address)).Error?.Condition.Value);
        await _peer.BeginAsync(1);
        Assert.Null((await _peer.ReceiverAsync(address, channel: 1)).Error);
    }

    [Theory]
    [InlineData("nobody", "amqp:not-found")]
    [InlineData("invoices/$DeadLetterQueue", "amqp:not-found")]
    [InlineData("$cbs", "amqp:invalid-field")]
    [InlineData("invoices/$management", "amqp:invalid-field")]
    public async Task Transfer_destination_must_be_a_queue_or_topic(string destination, string condition) =>
        Assert.Equal(condition, (await _peer.SenderAsync("orders", destination: destination)).Error?.Condition.Value);

    [Fact]
    public async Task Rolled_back_settlement_can_be_repeated()
    {
        var received = await ReceiveAsync("a", credit: 1);
        var id = await _peer.DeclareAsync();
        await _peer.SettleAsync(received.Id, id, Complete);
        await _peer.CommandAsync(new Discharge(id, Fail: true));
        var next = await _peer.DeclareAsync();

        Assert.Null(ConditionOf(await _peer.SettleAsync(received.Id, next, Complete)));
        Assert.Null(ConditionOf(await _peer.DischargeAsync(next)));
        Assert.Equal((0, 1), (_orders.Counts().Locked, _orders.Counts().Completed));
    }

    [Fact]
    public async Task Management_requests_can_join_a_transaction()
    {
        var received = await ReceiveAsync("a");
        var node = await _peer.NodeAsync("orders/$management");
        var due = _clock.GetUtcNow() + TimeSpan.FromMinutes(1);
        var id = await _peer.DeclareAsync();
        var settled = await _peer.AskAsync(
            node,
            id,
            "update-disposition",
            ("lock-tokens", new[] { received.Token }),
            ("disposition-status", "completed")
        );
        var scheduled = await _peer.AskAsync(node, id, "schedule-message", ("messages", Scheduled("b", due)));
        Assert.Equal(
            (200, 200),
            (settled.ApplicationProperties!["statusCode"], scheduled.ApplicationProperties!["statusCode"])
        );
        Assert.Equal((1, 0), (_orders.Counts().Locked, _orders.Counts().Scheduled));
        Assert.Null(ConditionOf(await _peer.DischargeAsync(id)));

        Assert.Equal((0, 1), (_orders.Counts().Locked, _orders.Counts().Scheduled));
        var numbers = Assert.IsType<long[]>(
            Assert.IsType<Dictionary<object, object?>>(scheduled.Value)["sequence-numbers"]
        );
        Assert.Equal(_orders.Peek(0, 1)[0].SequenceNumber, Assert.Single(numbers));
        var next = await _peer.DeclareAsync();
        var cancelled = await _peer.AskAsync(node, next, "cancel-scheduled-message", ("sequence-numbers", numbers));
        Assert.Equal((200, 1L), (cancelled.ApplicationProperties!["statusCode"], _orders.Counts().Scheduled));
        var again = await _peer.AskAsync(node, next, "cancel-scheduled-message", ("sequence-numbers", numbers));
        Assert.Equal(404, again.ApplicationProperties!["statusCode"]);
        await _peer.DischargeAsync(next);
        Assert.Equal(0, _orders.Counts().Scheduled);
    }

    [Theory]
    [InlineData("renew-lock", 200)]
    [InlineData("peek-message", 200)]
    [InlineData("update-disposition", 410)] // The token is unknown.
    [InlineData("cancel-scheduled-message", 404)]
    [InlineData("batch-delete-messages", 400)]
    [InlineData("receive-by-sequence-number", 400)] // Receive-and-delete mode.
    public async Task Requests_that_cannot_join_a_transaction_are_rejected(string operation, int status)
    {
        var received = await ReceiveAsync("a");
        var node = await _peer.NodeAsync("orders/$management");
        var id = await _peer.DeclareAsync();
        var token = operation == "renew-lock" ? received.Token : Guid.NewGuid();
        (string, object?)[] arguments =
        [
            ("lock-tokens", new[] { token }),
            ("disposition-status", "completed"),
            ("sequence-numbers", new[] { 77L }),
            ("from-sequence-number", 0L),
            ("message-count", 1),
            ("receiver-settle-mode", 0u),
        ];

        var reply = await _peer.AskAsync(node, id, operation, arguments);
        Assert.Equal(status, reply.ApplicationProperties!["statusCode"]);
        var unknown = await _peer.AskAsync(node, new byte[16], operation, arguments);
        Assert.Equal(new Symbol("amqp:transaction:unknown-id"), unknown.ApplicationProperties!["errorCondition"]);
        Assert.Null(ConditionOf(await _peer.DischargeAsync(id)));
        Assert.Equal(1, _orders.Counts().Locked);
    }

    private static string? ConditionOf(DescribedValue state) => TransactionPeer.ConditionOf(state);

    private static List<object?> Scheduled(string text, DateTimeOffset due)
    {
        var message = new AmqpMessage
        {
            MessageAnnotations = new() { ["x-opt-scheduled-enqueue-time"] = due },
            Data = [Encoding.UTF8.GetBytes(text)],
        };
        return [new Dictionary<object, object?> { ["message"] = message.ToArray(), ["message-id"] = text }];
    }

    private async Task<TransactionPeer> DialAsync() => Kept(await TransactionPeer.DialAsync(_frontEnd));

    private async Task<uint> SenderAsync(string address)
    {
        var (handle, error) = await _peer.SenderAsync(address);
        Assert.Null(error);
        return handle;
    }

    /// <summary>Sends outside of any transaction and receives.</summary>
    private async Task<(uint Id, Guid Token)> ReceiveAsync(string text, uint credit = 10)
    {
        _orders.Send(IncomingMessage.Read(Encode(text), false));
        var (handle, error) = await _peer.ReceiverAsync("orders", credit: credit);
        Assert.Null(error);
        var (id, token, received) = await _peer.ReceiveAsync(handle);
        Assert.Equal(text, received);
        return (id, token);
    }
}
