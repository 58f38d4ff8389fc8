using DroneDelivery.Amqp;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Receiver;

/// <summary>A broker that takes its time to answer a settlement.</summary>
public sealed class UnansweredSettlementTests : IAsyncLifetime
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);
    private readonly ManualTimeProvider _time = new();
    private ScriptedServer _server = null!;
    private ServiceBusClient _client = null!;

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync()
    {
        _server = new ScriptedServer(_time) { Queue = { AnswersAtOnce = false } };
        _server.Queue.Add(new AmqpMessage { Properties = new MessageProperties { MessageId = "1" }, Data = [new byte[1]] }.ToArray());
        var options = new ServiceBusClientOptions { TimeProvider = _time, ConnectionIdleTimeout = TimeSpan.Zero };
        _client = new ServiceBusClient(_server.ConnectionString, options);
        return default;
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task Two_settlements_of_a_message_at_the_same_time_are_refused_and_the_first_counts()
    {
        var receiver = _client.CreateReceiver("orders");
        var message = (await receiver.ReceiveMessageAsync(Patience, Cancelled))!;
        var first = receiver.CompleteMessageAsync(message, Cancelled);

        await Assert.ThrowsAsync<InvalidOperationException>(() => receiver.CompleteMessageAsync(message, Cancelled));
        await Assert.ThrowsAsync<InvalidOperationException>(() => receiver.AbandonMessageAsync(message, cancellationToken: Cancelled));
        await _server.Queue.AnswerAsync();
        await first;

        Assert.IsType<Accepted>(Assert.Single(_server.Queue.Outcomes));
    }

    [Fact]
    public async Task A_settlement_that_timed_out_waits_on_without_telling_the_broker_twice()
    {
        var receiver = _client.CreateReceiver("orders");
        var message = (await receiver.ReceiveMessageAsync(Patience, Cancelled))!;
        var settling = receiver.CompleteMessageAsync(message, Cancelled);
        await Eventually.HoldsAsync(() => _server.Queue.Outcomes.Count == 1);

        // The first try, its time-out and the wait after it.
        for (var second = 0; second < 70; second++)
        {
            _time.Advance(TimeSpan.FromSeconds(1));
            await Task.Delay(1, Cancelled);
        }

        Assert.False(settling.IsCompleted);
        await _server.Queue.AnswerAsync();
        await settling;
        Assert.Single(_server.Queue.Outcomes);
    }
}
