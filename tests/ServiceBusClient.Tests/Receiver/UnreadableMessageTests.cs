using System.Collections.Concurrent;
using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus.Tests.Receiver;

public sealed class UnreadableMessageTests : IAsyncLifetime
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);
    private static readonly byte[] Unreadable = [0xff];
    private readonly ScriptedServer _server = new(TimeProvider.System);
    private ServiceBusClient _client = null!;

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    public ValueTask InitializeAsync()
    {
        var options = new ServiceBusClientOptions { RetryOptions = { Delay = TimeSpan.FromMilliseconds(20) } };
        _client = new ServiceBusClient(_server.ConnectionString, options);
        return default;
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Theory]
    [InlineData(ServiceBusReceiveMode.PeekLock)]
    [InlineData(ServiceBusReceiveMode.ReceiveAndDelete)]
    public async Task A_message_that_cannot_be_read_takes_no_other_with_it(ServiceBusReceiveMode mode)
    {
        _server.Queue.Add(Readable("1"), Unreadable, Readable("2"));
        await using var receiver = _client.CreateReceiver("orders", new ServiceBusReceiverOptions { ReceiveMode = mode });
        var ids = new List<string?>();
        var errors = new List<ServiceBusException>();

        while (ids.Count < 2 || errors.Count < 1)
        {
            try
            {
                var messages = await receiver.ReceiveMessagesAsync(3, Patience, Cancelled);
                Assert.NotEmpty(messages);
                ids.AddRange(messages.Select(message => message.MessageId));
            }
            catch (ServiceBusException error)
            {
                errors.Add(error);
            }
        }

        Assert.Equal(["1", "2"], ids);
        Assert.False(Assert.Single(errors).IsTransient);
        Assert.Contains(ErrorConditions.DecodeError, errors[0].Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_message_that_cannot_be_read_is_dead_lettered_with_a_reason()
    {
        _server.Queue.Add(Unreadable);
        await using var receiver = _client.CreateReceiver("orders");

        await Assert.ThrowsAsync<ServiceBusException>(() => receiver.ReceiveMessageAsync(Patience, Cancelled));
        await Eventually.HoldsAsync(() => !_server.Queue.Outcomes.IsEmpty);

        var error = Assert.IsType<Rejected>(Assert.Single(_server.Queue.Outcomes)).Error!;
        Assert.Equal("com.microsoft:dead-letter", error.Condition.Value);
        Assert.Equal("UnreadableMessage", error.Info!["DeadLetterReason"]);
        Assert.Contains(ErrorConditions.DecodeError, (string)error.Info!["DeadLetterErrorDescription"]!, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_message_that_cannot_be_read_gives_its_credit_back()
    {
        _server.Queue.Add(Unreadable, Unreadable, Unreadable, Readable("1"));
        await using var receiver = _client.CreateReceiver("orders", new ServiceBusReceiverOptions { PrefetchCount = 3 });

        for (var unreadable = 0; unreadable < 3; unreadable++)
            await Assert.ThrowsAsync<ServiceBusException>(() => receiver.ReceiveMessageAsync(Patience, Cancelled));

        // The prefetch count is used up: the last message only comes with the credit of those before it.
        Assert.Equal("1", (await receiver.ReceiveMessageAsync(Patience, Cancelled))?.MessageId);
    }

    [Fact]
    public async Task A_processor_reports_a_message_that_cannot_be_read_and_goes_on()
    {
        _server.Queue.Add(Unreadable, Readable("1"));
        var errors = new ConcurrentQueue<ProcessErrorEventArgs>();
        var handled = new TaskCompletionSource<string?>();
        // The server has nobody who renews locks.
        await using var processor = _client.CreateProcessor(
            "orders", new ServiceBusProcessorOptions { MaxAutoLockRenewalDuration = TimeSpan.Zero });
        processor.ProcessErrorAsync += error =>
        {
            errors.Enqueue(error);
            return Task.CompletedTask;
        };
        processor.ProcessMessageAsync += args =>
        {
            handled.TrySetResult(args.Message.MessageId);
            return Task.CompletedTask;
        };

        await processor.StartProcessingAsync(Cancelled);

        Assert.Equal("1", await handled.Task.WaitAsync(Patience, Cancelled));
        Assert.Equal(ServiceBusErrorSource.Receive, Assert.Single(errors).ErrorSource);
    }

    private static byte[] Readable(string id) => new AmqpMessage
    {
        Properties = new MessageProperties { MessageId = id },
        Data = [new byte[] { 1 }],
    }.ToArray();
}
