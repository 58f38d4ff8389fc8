namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>
/// Emulated network latency: settlements take effect on arrival, and their response follows 100 ms later.
/// </summary>
public sealed class SettlementRoundTripTests : WireTest
{
    private static readonly TimeSpan RoundTrip = TimeSpan.FromMilliseconds(100);

    private readonly ManualTimeProvider _clock = new();
    private Queue _queue = null!;

    private protected override LocalServiceBusOptions Options =>
        new()
        {
            Port = 0,
            TimeProvider = _clock,
            DelaySettlementResponse = BrokerFixture.DelayBy(RoundTrip, _clock),
        };

    public override async ValueTask InitializeAsync()
    {
        await base.InitializeAsync();
        _queue = _broker.CreateQueue(options => options with { LockDuration = TimeSpan.FromSeconds(30) }, "orders");
        await (await _client.SenderAsync("orders")).SendAsync(Encode("a"), 0, settled: false, Cancel);
    }

    [Fact]
    public async Task Only_requests_that_settle_take_the_round_trip()
    {
        var received = await (await _client.ReceiverAsync("orders", 1)).NextAsync();
        Assert.Equal(
            200,
            StatusOf(await _client.AskAsync("orders", "renew-lock", ("lock-tokens", new[] { received.LockToken })))
        );
        Assert.Equal(
            200,
            StatusOf(
                await _client.AskAsync("orders", "peek-message", ("from-sequence-number", 0L), ("message-count", 1))
            )
        );
        var replies = await _client.ReceiverAsync("orders/$management", 1);
        await _client.RequestAsync(
            "orders",
            "update-disposition",
            ("lock-tokens", new[] { received.LockToken }),
            ("disposition-status", "completed")
        );
        await Eventually.TrueAsync(() => _queue.Counts().Completed == 1);
        await _client.SenderAsync("orders"); // The response follows a reply without delay.
        Assert.Equal(0, replies.Waiting);
        // The message is completed shortly before its response starts to wait, so a single step of the clock could be
        // too early.
        await Eventually.TrueAsync(() =>
        {
            _clock.Advance(RoundTrip);
            return replies.Waiting > 0;
        });
        Assert.Equal(200, StatusOf((await replies.NextAsync()).Message));
    }

    /// <summary>Sent while the response to the first settlement is still in transit.</summary>
    [Fact]
    public async Task Repeated_settlement_counts_once()
    {
        var receiver = await _client.ReceiverAsync("orders", 2);
        var message = await receiver.NextAsync();
        for (var i = 0; i < 2; i++)
        {
            receiver.Link.Settle(message.Id, Accepted.Instance, settled: false);
            await _client.SenderAsync("orders"); // The response follows the settlement.
        }
        _clock.Advance(TimeSpan.FromSeconds(1));
        _queue.Send(new MessageContent(new AmqpMessage { Value = "b" }.ToArray()));
        await receiver.NextAsync();

        Assert.Equal((1, 0), (_queue.Counts().Completed, _queue.Counts().LockLost));
        await Eventually.TrueAsync(() => Assert.Single(_broker.Broker.LinksOf(_queue)).Unsettled == 1);
    }
}
