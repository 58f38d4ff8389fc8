using Azure.Messaging.ServiceBus.Tests.Connection;
using DroneDelivery.Amqp;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Receiver;

/// <summary>A broker that takes its time to answer a settlement.</summary>
public sealed class UnansweredSettlementTests : IAsyncLifetime
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);
    private readonly ManualTimeProvider time = new();
    private ScriptedServer server = null!;
    private ServiceBusClient client = null!;

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync()
    {
        server = new ScriptedServer(time) { Queue = { AnswersAtOnce = false } };
        server.Queue.Add(new AmqpMessage { Properties = new MessageProperties { MessageId = "1" }, Data = [new byte[1]] }.ToArray());
        var options = new ServiceBusClientOptions { TimeProvider = time, ConnectionIdleTimeout = TimeSpan.Zero };
        client = new ServiceBusClient(server.ConnectionString, options);
        return default;
    }

    public async ValueTask DisposeAsync()
    {
        await client.DisposeAsync();
        await server.DisposeAsync();
    }

    [Fact]
    public async Task Two_settlements_of_a_message_at_the_same_time_are_refused_and_the_first_counts()
    {
        var receiver = client.CreateReceiver("orders");
        var message = (await receiver.ReceiveMessageAsync(Patience, Cancelled))!;
        var first = receiver.CompleteMessageAsync(message, Cancelled);

        await Assert.ThrowsAsync<InvalidOperationException>(() => receiver.CompleteMessageAsync(message, Cancelled));
        await Assert.ThrowsAsync<InvalidOperationException>(() => receiver.AbandonMessageAsync(message, cancellationToken: Cancelled));
        await server.Queue.AnswerAsync();
        await first;

        Assert.IsType<Accepted>(Assert.Single(server.Queue.Outcomes));
    }

    [Fact]
    public async Task A_settlement_that_timed_out_waits_on_without_telling_the_broker_twice()
    {
        var receiver = client.CreateReceiver("orders");
        var message = (await receiver.ReceiveMessageAsync(Patience, Cancelled))!;
        var settling = receiver.CompleteMessageAsync(message, Cancelled);
        await Eventually.HoldsAsync(() => server.Queue.Outcomes.Count == 1);

        // The first try, its time-out and the wait after it.
        for (var second = 0; second < 70; second++)
        {
            time.Advance(TimeSpan.FromSeconds(1));
            await Task.Delay(1, Cancelled);
        }

        Assert.False(settling.IsCompleted);
        await server.Queue.AnswerAsync();
        await settling;
        Assert.Single(server.Queue.Outcomes);
    }
}
