using System.Runtime.CompilerServices;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>Sending, receiving and settling over a connection, on a clock that stands still.</summary>
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
    public async Task A_delivery_that_is_never_settled_keeps_no_message_in_memory()
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
    public async Task A_session_that_ends_takes_its_credit_with_it_and_leaves_the_locks()
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
    public async Task A_link_on_which_a_message_cannot_be_sent_ends_and_nothing_else_does()
    {
        // Past the check of what a sender may send: the sections of this one are looked for once a property was changed.
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
    public async Task Receivers_of_a_queue_that_is_disabled_end_and_senders_hear_it_when_they_send(EntityStatus status)
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
    public async Task Links_to_a_deleted_queue_end_with_not_found_and_connections_with_the_broker()
    {
        var receiver = await _client.ReceiverAsync("orders", 1);
        var ofDeadLetters = await _client.ReceiverAsync("orders/$DeadLetterQueue", 1);
        var replies = await _client.ReceiverAsync("orders/$management", 1);
        var requests = await _client.SenderAsync("orders/$management");
        _broker.Broker.Entities.Delete("orders");
        foreach (var ended in new[] { receiver, ofDeadLetters, replies })
            Assert.Equal("amqp:not-found", (await ended.Detached)?.Condition.Value);
        await Eventually.TrueAsync(() => _sender.IsClosed && requests.IsClosed);
        Assert.Equal("amqp:not-found", await RefusalAsync(_client.ReceiverAsync("orders", 1)));
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
    public async Task Links_that_cannot_be_are_refused_with_the_condition_that_SDKs_know()
    {
        Assert.Equal("amqp:not-found", await RefusalAsync(_client.ReceiverAsync("nobody", 1)));
        Assert.Equal("amqp:not-found", await RefusalAsync(_client.SenderAsync("nobody")));
        Assert.Equal("amqp:not-found", await RefusalAsync(_client.ReceiverAsync("topic/Subscriptions/one", 1)));
        Assert.Equal("amqp:not-allowed", await RefusalAsync(_client.SenderAsync("orders/$DeadLetterQueue")));
        Assert.Equal("amqp:invalid-field", await RefusalAsync(AttachAsync(new Source())));
        Assert.Equal(
            "amqp:not-implemented",
            await RefusalAsync(AttachAsync(new Source { Address = "orders", DistributionMode = "copy" }))
        );
        _broker.Broker.Entities.Update(_queue.Options with { Status = EntityStatus.Disabled });
        Assert.Equal("com.microsoft:entity-disabled", await RefusalAsync(_client.ReceiverAsync("orders", 1)));
        Assert.Equal("com.microsoft:entity-disabled", await RefusalAsync(_client.SenderAsync("orders")));
    }

    [Fact]
    public async Task What_is_settled_without_an_outcome_goes_back_to_the_queue()
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
    public async Task A_closed_session_window_leaves_messages_in_the_queue_until_it_opens(bool receiveAndDelete)
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

        window.IncomingWindow = 4; // given again whenever half of it is used
        receiver.Link.SetCredit(100);

        Assert.Equal(
            Enumerable.Range(0, Messages).Select(i => $"{i}"),
            (await receiver.NextAsync(Messages)).Select(message => message.Text)
        );
    }

    [Fact]
    public async Task A_drain_waits_for_the_window_where_there_are_messages_and_for_nothing_where_there_are_none_or_no_credit()
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

    // Not inlined, so that no frame of the test holds the message.
    [MethodImpl(MethodImplOptions.NoInlining)]
    // What is peeked is a copy, which shares the content with the message in the queue.
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
