using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus.Tests.Connection;

public sealed class ManagementTests : IAsyncLifetime
{
    private readonly ScriptedServer _server = new(TimeProvider.System);
    private ServiceBusClient _client = null!;

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync()
    {
        var options = new ServiceBusClientOptions
        {
            RetryOptions = { TryTimeout = TimeSpan.FromSeconds(45), Delay = TimeSpan.FromMilliseconds(1) },
        };
        _client = new ServiceBusClient(_server.ConnectionString, options);
        return default;
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task A_question_tells_in_milliseconds_how_long_its_answer_is_waited_for()
    {
        await _client.CreateReceiver("orders").PeekMessageAsync(cancellationToken: Cancelled);

        Assert.Equal(45_000u, Assert.Single(_server.Questions)["com.microsoft:server-timeout"]);
    }

    [Fact]
    public async Task A_question_whose_links_close_is_asked_again_and_not_waited_for()
    {
        _server.AnswersQuestions = false;
        var peek = _client.CreateReceiver("orders").PeekMessageAsync(cancellationToken: Cancelled);
        await Eventually.HoldsAsync(() => _server.Questions.Count == 1);

        _server.AnswersQuestions = true;
        await _server.DetachAsync("orders/$management");

        Assert.Null(await peek.WaitAsync(TimeSpan.FromSeconds(30), Cancelled));
        Assert.Equal(2, _server.Questions.Count);
    }

    [Fact]
    public async Task The_links_of_a_receiver_end_with_it()
    {
        _server.Queue.Add(new AmqpMessage { Data = [new byte[1]] }.ToArray());
        var receiver = _client.CreateReceiver("orders");
        await receiver.ReceiveMessageAsync(TimeSpan.FromSeconds(30), Cancelled);
        await receiver.PeekMessageAsync(cancellationToken: Cancelled);
        Assert.Equal(["$cbs", "orders", "orders/$management"], _server.Addresses.Order());

        await receiver.CloseAsync(Cancelled);

        await Eventually.HoldsAsync(() => _server.Addresses.SequenceEqual(["$cbs"]));
    }

    [Fact]
    public async Task The_links_of_a_sender_end_with_it()
    {
        var sender = _client.CreateSender("orders");
        await sender.CreateMessageBatchAsync(Cancelled);
        await sender.CancelScheduledMessageAsync(1, Cancelled);
        Assert.Equal(["$cbs", "orders", "orders/$management"], _server.Addresses.Order());

        await sender.CloseAsync(Cancelled);

        await Eventually.HoldsAsync(() => _server.Addresses.SequenceEqual(["$cbs"]));
    }
}
