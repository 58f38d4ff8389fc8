namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>Receiving from sessions over a connection, with a manual clock.</summary>
public sealed class SessionLinkTests : WireTest
{
    private const int MaxLinks = 100;

    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(30);

    private readonly ManualTimeProvider _clock = new();
    private Queue _queue = null!;
    private SenderLink _sender = null!;

    private protected override LocalServiceBusOptions Options =>
        new()
        {
            Port = 0,
            TimeProvider = _clock,
            MaxLinks = MaxLinks,
        };

    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        _queue = _broker.CreateQueue(
            options => options with { LockDuration = LockDuration, RequiresSession = true },
            "orders"
        );
        _sender = await _client.SenderAsync("orders");
    }

    [Theory]
    [InlineData("a", true)]
    [InlineData("a", false)]
    [InlineData("", false)]
    public async Task Session_filter_may_be_described_and_the_id_empty(string session, bool named)
    {
        await SendAsync(session, "1");
        var receiver = await AcceptAsync(new DescribedValue(0x137000000CUL, named ? session : null));

        Assert.Equal("1", (await receiver.NextAsync()).Text);
        Assert.Equal(session, receiver.Link.Remote.Source!.Filter!["com.microsoft:session-filter"]);
    }

    [Fact]
    public async Task Session_receivers_are_notified_when_the_queue_is_disabled()
    {
        await SendAsync("a", "1");
        var holder = await AcceptAsync(null);
        var waiting = AcceptAsync(null);
        await RoundTripAsync();
        _broker.Broker.Entities.Update(_queue.Options with { Status = EntityStatus.ReceiveDisabled });

        Assert.Equal("com.microsoft:entity-disabled", (await holder.Detached)?.Condition.Value);
        Assert.Equal(
            "com.microsoft:entity-disabled",
            (await Assert.ThrowsAsync<AmqpException>(() => waiting)).Error.Condition.Value
        );
    }

    [Theory]
    [InlineData(5000u)]
    [InlineData(5000)]
    [InlineData(5000L)]
    [InlineData(5000ul)]
    public async Task Wait_for_a_session_ends_after_the_clients_timeout(object timeout)
    {
        var waiting = AcceptAsync(null, new() { ["com.microsoft:timeout"] = timeout });
        await RoundTripAsync();
        _clock.Advance(TimeSpan.FromSeconds(4.9));
        await RoundTripAsync();
        Assert.False(waiting.IsCompleted);
        _clock.Advance(TimeSpan.FromSeconds(0.08)); // Before the client's own timeout.

        Assert.Equal("com.microsoft:timeout", await RejectionAsync(waiting));
    }

    [Fact]
    public async Task Invalid_attach_is_rejected_with_the_SDKs_error_condition()
    {
        _broker.CreateQueue(name: "plain");
        await AcceptAsync("held");

        Assert.Equal("com.microsoft:session-cannot-be-locked", await RejectionAsync(AcceptAsync("held")));
        Assert.Equal("amqp:not-allowed", await RejectionAsync(_client.ReceiverAsync("orders", 1)));
        Assert.Equal("amqp:not-allowed", await RejectionAsync(AcceptAsync("a", address: "plain")));
        Assert.Equal("amqp:not-allowed", await RejectionAsync(AcceptAsync("a", address: "orders/$DeadLetterQueue")));
        Assert.Equal("com.microsoft:argument-out-of-range", await RejectionAsync(AcceptAsync(new string('x', 129))));
        Assert.Equal("amqp:invalid-field", await RejectionAsync(AcceptAsync(5)));
        Assert.Equal(
            "amqp:invalid-field",
            await RejectionAsync(AcceptAsync(null, new() { ["com.microsoft:timeout"] = "soon" }))
        );
        var several = new Source
        {
            Address = "orders",
            Filter = new() { ["com.microsoft:non-exclusive-session-filter:list"] = null },
        };
        Assert.Equal("amqp:not-implemented", await RejectionAsync(AttachAsync(several, null)));
    }

    [Fact]
    public async Task Disconnected_client_leaves_no_session_request_behind()
    {
        await using var other = await ConnectAsync(_broker);
        var waiting = AcceptAsync(null, session: other.Session);
        await Eventually.TrueAsync(() => _queue.HasWaitingReceivers());
        other.Connection.Abort();
        await Assert.ThrowsAnyAsync<AmqpException>(() => waiting);

        await Eventually.TrueAsync(() => !_queue.HasWaitingReceivers());
    }

    [Fact]
    public async Task Second_settlement_fails_with_session_lock_lost()
    {
        await SendAsync("a", "1");
        await SendAsync("a", "2");
        var receiver = await AcceptAsync("a");
        var received = await receiver.NextAsync(2);
        Assert.Same(Accepted.Instance, await receiver.SettleAsync(received[0], Accepted.Instance));
        _queue.Settle(received[1].LockToken, Settlement.Complete);

        var late = Assert.IsType<Rejected>(await receiver.SettleAsync(received[1], Accepted.Instance));
        Assert.Equal("com.microsoft:session-lock-lost", late.Error?.Condition.Value);
    }

    [Fact]
    public async Task Message_with_a_missing_or_long_session_id_is_rejected()
    {
        var without = await _sender.SendAsync(new AmqpMessage { Value = "x" }.ToArray(), 0, settled: false, Cancel);
        Assert.Equal("amqp:not-allowed", Assert.IsType<Rejected>(without).Error?.Condition.Value);
        Assert.Equal(
            "com.microsoft:argument-out-of-range",
            Assert.IsType<Rejected>(await SendAsync(new string('x', 129), "1")).Error?.Condition.Value
        );
        Assert.Same(Accepted.Instance, await SendAsync(new string('x', 128), "1"));
    }

    [Fact]
    public async Task Canceled_session_requests_do_not_count_toward_the_limit()
    {
        await using var client = await ConnectAsync(_broker);
        for (var i = 0; i < MaxLinks; i++)
        {
            using var giveUp = new CancellationTokenSource();
            var attaching = AttachAsync(NextSession, null, client.Session, giveUp.Token);
            await giveUp.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => attaching);
            if (i % 32 == 0)
                await client.Connection.BeginSessionAsync(null, Cancel); // Its response follows those to the detaches.
        }
        var next = AttachAsync(NextSession, null, client.Session);
        await Eventually.TrueAsync(() => _queue.HasWaitingReceivers());
        await SendAsync("a", "1");

        Assert.NotNull(await next.WaitAsync(TimeSpan.FromSeconds(60), Cancel));
    }

    private static Source NextSession =>
        new()
        {
            Address = "orders",
            Filter = new() { ["com.microsoft:session-filter"] = null },
        };

    private Task<DeliveryState> SendAsync(string sessionId, string text) =>
        _sender.SendAsync(
            new AmqpMessage
            {
                Properties = new() { GroupId = sessionId },
                Data = [Encoding.UTF8.GetBytes(text)],
            }.ToArray(),
            0,
            settled: false,
            Cancel
        );

    private async Task<AmqpReceiver> AcceptAsync(
        object? filter,
        Dictionary<Symbol, object?>? properties = null,
        string address = "orders",
        AmqpSession? session = null
    )
    {
        var receiver = await AttachAsync(
            new Source
            {
                Address = address,
                Filter = new() { ["com.microsoft:session-filter"] = filter },
            },
            properties,
            session
        );
        receiver.Link.SetCredit(10);
        return receiver;
    }

    private async Task<AmqpReceiver> AttachAsync(
        Source source,
        Dictionary<Symbol, object?>? properties,
        AmqpSession? session = null,
        CancellationToken? cancel = null
    )
    {
        var receiver = new AmqpReceiver();
        var attach = new Attach
        {
            Name = Guid.NewGuid().ToString(),
            RcvSettleMode = ReceiverSettleMode.Second,
            Source = source,
            Target = new Target(),
            Properties = properties,
        };
        receiver.Link = await (session ?? _client.Session).AttachReceiverAsync(attach, receiver, cancel ?? Cancel);
        return receiver;
    }

    /// <summary>Completes when the broker has read everything sent before.</summary>
    private async Task RoundTripAsync() => await _client.Connection.BeginSessionAsync(null, Cancel);
}
