using System.Runtime.CompilerServices;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>Sending, receiving, and settling over a connection, with a manual clock.</summary>
public sealed class LinkTests : WireTest
{
    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(30);

    private readonly ManualTimeProvider _clock = new();
    private Queue _queue = null!;
    private SenderLink _sender = null!;

    private protected override LocalServiceBusOptions Options => new() { Port = 0, TimeProvider = _clock };

    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        _queue = _broker.CreateQueue(
            options => options with { LockDuration = LockDuration, MaxMessageSize = 200_000 },
            "orders"
        );
        _sender = await _client.SenderAsync("orders");
    }

    [Fact]
    public async Task Unsettled_delivery_does_not_keep_its_message_in_memory()
    {
        await SendAsync("a");
        var message = TheOneMessage();
        await (await _client.ReceiverAsync("orders", 1)).NextAsync();
        _clock.Advance(LockDuration);
        var other = await _client.ReceiverAsync("orders", 1);
        await other.SettleAsync(await other.NextAsync(), Accepted.Instance);
        await Eventually.TrueAsync(() => IsCollected(message));
    }

    [Fact]
    public async Task Ended_session_releases_its_credit_but_not_its_locks()
    {
        var session = await _client.Connection.BeginSessionAsync(null, Cancel);
        var ended = await _client.ReceiverAsync("orders", 10, session: session);
        await SendAsync("a");
        await ended.NextAsync();
        await session.EndAsync(Cancel);
        await SendAsync("b");
        var other = await _client.ReceiverAsync("orders", 10);
        Assert.Equal("b", (await other.NextAsync()).Text);
        _clock.Advance(LockDuration);
        Assert.Equal("a", (await other.NextAsync()).Text);
    }

    [Fact]
    public async Task Link_whose_message_cannot_be_sent_is_detached_alone()
    {
        // Bypasses the validation of sent messages: its sections are parsed only after a property was changed.
        _queue.Send(new MessageContent(new byte[] { 1, 2, 3 }));
        _queue.Settle(
            new TestReceiver(_queue, 1).Locks[0],
            new Settlement.Abandoned(new Dictionary<string, object?> { ["a"] = 1 })
        );
        var receiver = await _client.ReceiverAsync("orders", 1);
        Assert.Equal("amqp:internal-error", (await receiver.Detached)?.Condition.Value);
        Assert.Same(Accepted.Instance, await SendAsync("still there"));
        Assert.Equal(2, _queue.Counts().Active);
    }

    [Theory]
    [InlineData(EntityStatus.Disabled)]
    [InlineData(EntityStatus.ReceiveDisabled)]
    public async Task Disabled_queue_detaches_receivers_and_rejects_sends(EntityStatus status)
    {
        var receiver = await _client.ReceiverAsync("orders", 1);
        var ofDeadLetters = await _client.ReceiverAsync("orders/$DeadLetterQueue", 1);
        _broker.Broker.Entities.Update(_queue.Options with { Status = status });
        Assert.Equal("com.microsoft:entity-disabled", (await receiver.Detached)?.Condition.Value);
        Assert.Equal(status == EntityStatus.Disabled, await SendAsync("a") is Rejected);
        Assert.False(ofDeadLetters.Link.IsClosed);

        _broker.Broker.Entities.Update(_queue.Options with { Status = EntityStatus.Active });
        await SendAsync("b");
        await (await _client.ReceiverAsync("orders", 1)).NextAsync();
    }

    [Fact]
    public async Task Links_to_a_deleted_queue_are_detached_with_not_found()
    {
        var receiver = await _client.ReceiverAsync("orders", 1);
        var ofDeadLetters = await _client.ReceiverAsync("orders/$DeadLetterQueue", 1);
        var replies = await _client.ReceiverAsync("orders/$management", 1);
        var requests = await _client.SenderAsync("orders/$management");
        _broker.Broker.Entities.Delete("orders");
        foreach (var ended in new[] { receiver, ofDeadLetters, replies })
            Assert.Equal("amqp:not-found", (await ended.Detached)?.Condition.Value);
        await Eventually.TrueAsync(() => _sender.IsClosed && requests.IsClosed);
        Assert.Equal("amqp:not-found", await RejectionAsync(_client.ReceiverAsync("orders", 1)));
        _broker.CreateQueue(name: "orders");
        Assert.Equal(
            204,
            StatusOf(
                await _client.AskAsync("orders", "peek-message", ("from-sequence-number", 0L), ("message-count", 1))
            )
        );

        await _broker.DisposeAsync();
        var error = await _client.Connection.Closed.WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        Assert.Equal(ErrorConditions.ConnectionForced, error?.Condition.Value);
    }

    [Fact]
    public async Task Invalid_attach_is_rejected_with_the_SDKs_error_condition()
    {
        Assert.Equal("amqp:not-found", await RejectionAsync(_client.ReceiverAsync("nobody", 1)));
        Assert.Equal("amqp:not-found", await RejectionAsync(_client.SenderAsync("nobody")));
        Assert.Equal("amqp:not-found", await RejectionAsync(_client.ReceiverAsync("topic/Subscriptions/one", 1)));
        Assert.Equal("amqp:not-allowed", await RejectionAsync(_client.SenderAsync("orders/$DeadLetterQueue")));
        Assert.Equal("amqp:invalid-field", await RejectionAsync(AttachAsync(new Source())));
        Assert.Equal(
            "amqp:not-implemented",
            await RejectionAsync(AttachAsync(new Source { Address = "orders", DistributionMode = "copy" }))
        );
        _broker.Broker.Entities.Update(_queue.Options with { Status = EntityStatus.Disabled });
        Assert.Equal("com.microsoft:entity-disabled", await RejectionAsync(_client.ReceiverAsync("orders", 1)));
        Assert.Equal("com.microsoft:entity-disabled", await RejectionAsync(_client.SenderAsync("orders")));
    }

    [Fact]
    public async Task Settling_without_an_outcome_releases_the_message()
    {
        await SendAsync("a");
        var receiver = await _client.ReceiverAsync("orders", 1);
        DeliveryState?[] states =
        [
            null,
            new Received(0, 1),
            new Declared([1]),
            new TransactionalState([1], Accepted.Instance),
        ];
        foreach (var state in states)
        {
            receiver.Link.Settle((await receiver.NextAsync()).Id, state, settled: true);
            await Eventually.TrueAsync(() => _queue.Counts() is { Active: 1, Locked: 0 });
            receiver.Link.SetCredit(1);
        }
        var again = await receiver.NextAsync();
        Assert.Equal(("a", 0u), (again.Text, again.Message.Header!.DeliveryCount));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Closed_session_window_leaves_messages_in_the_queue(bool receiveAndDelete)
    {
        const int Messages = 50;
        var window = new SessionOptions { IncomingWindow = 0 };
        var session = await _client.Connection.BeginSessionAsync(window, Cancel);
        var receiver = await _client.ReceiverAsync("orders", 100, receiveAndDelete, session);
        await Eventually.TrueAsync(() => _broker.Broker.LinksOf(_queue) is [{ Credit: 100 }]);
        for (var i = 0; i < Messages; i++)
            await SendAsync($"{i}");
        Assert.Equal((Messages, 0), (_queue.Counts().Active, _queue.Counts().Locked));
        Assert.Equal(0, _broker.Broker.LinksOf(_queue)[0].MaxUnsettled);

        window.IncomingWindow = 4; // Granted again whenever half of it has been used.
        receiver.Link.SetCredit(100);

        Assert.Equal(
            Enumerable.Range(0, Messages).Select(i => $"{i}"),
            (await receiver.NextAsync(Messages)).Select(message => message.Text)
        );
    }

    [Fact]
    public async Task Drain_waits_for_the_window_only_when_messages_remain()
    {
        var window = new SessionOptions { IncomingWindow = 0 };
        var session = await _client.Connection.BeginSessionAsync(window, Cancel);
        var idle = await _client.ReceiverAsync("orders", 0, session: session);
        idle.Link.SetCredit(10, drain: true);
        await idle.Drained;
        var without = await _client.ReceiverAsync("orders", 0);
        without.Link.SetCredit(0, drain: true);
        await without.Drained;

        for (var i = 0; i < 3; i++)
            await SendAsync($"{i}");
        var busy = await _client.ReceiverAsync("orders", 0, session: session);
        busy.Link.SetCredit(10, drain: true);
        await Eventually.TrueAsync(() => _broker.Broker.LinksOf(_queue).Any(link => link.Credit == 10));
        window.IncomingWindow = 100;
        busy.Link.SetCredit(10, drain: true);
        await busy.Drained;
        Assert.Equal(3, busy.Waiting);
    }

    // Not inlined, so that no stack frame of the test references the message.
    [MethodImpl(MethodImplOptions.NoInlining)]
    // A peeked message is a copy that shares its content with the message in the queue.
    private WeakReference TheOneMessage() => new(Assert.Single(_queue.Peek(0, 2)).Content);

    private static bool IsCollected(WeakReference message)
    {
        GC.Collect();
        return !message.IsAlive;
    }

    private Task<DeliveryState> SendAsync(string text) => _sender.SendAsync(Encode(text), 0, settled: false, Cancel);

    private Task<ReceiverLink> AttachAsync(Source source) =>
        _client.Session.AttachReceiverAsync(
            new Attach
            {
                Name = Guid.NewGuid().ToString(),
                Source = source,
                Target = new Target(),
            },
            new AmqpReceiver(),
            Cancel
        );
}
