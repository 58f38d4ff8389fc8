using Azure.Messaging.ServiceBus;
using DroneDelivery.Lab.Operations;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>A broker with the queue of delivery requests and, if wanted, the queue of failed ones; no Workflow empties them.</summary>
internal sealed class DeadLettersOnBroker : IAsyncDisposable
{
    public const string Main = "delivery-requests",
        Failed = "delivery-requests-failed";

    private readonly BrokerFixture _broker;
    private readonly ServiceBusClient _client;

    private DeadLettersOnBroker(BrokerFixture broker) => (_broker, _client) = (broker, new(broker.ConnectionString));

    public string Connection => _broker.ConnectionString;

    public string Host => new BusConnection(Connection).Host;

    public static async Task<DeadLettersOnBroker> StartAsync(bool withFailedQueue = true, int maxDeliveryCount = 10)
    {
        var broker = await BrokerFixture.StartAsync(cancellationToken: Cancel);
        // It has those of its defaults.
        foreach (var queue in broker.Broker.Entities.Queues)
            broker.Broker.Entities.Delete(queue.Name);
        foreach (var name in withFailedQueue ? new[] { Main, Failed } : [Main])
        {
            broker.CreateQueue(
                options => options with { MaxDeliveryCount = maxDeliveryCount, RequiresDuplicateDetection = true },
                name
            );
        }

        return new(broker);
    }

    public void RefuseSends() =>
        _broker.Broker.Entities.Update(
            _broker.Broker.Entities.Get(Main).Options with
            {
                Status = LocalServiceBus.Entities.EntityStatus.SendDisabled,
            }
        );

    public Task<(int ExitCode, string Output, string Error)> TypeAsync(params string[] words) =>
        LabInMemory.TypeAsync(["deadletters", .. words, "--connection", Connection]);

    public async Task DeadLetterAsync(
        string id,
        string reason = "Unparsable",
        string operation = QueueMessage.Cancel,
        int attempt = 0
    )
    {
        var message = Message(id, operation);
        if (attempt > 0)
            message.ApplicationProperties[QueueMessage.AttemptProperty] = attempt;
        message.ApplicationProperties[QueueMessage.RetriesProperty] = 10;
        await SendAsync(Main, message);
        await using var receiver = _client.CreateReceiver(Main);
        var received = await receiver.ReceiveMessageAsync(cancellationToken: Cancel);
        Assert.Equal(id, received!.MessageId);
        await receiver.DeadLetterMessageAsync(received, reason, $"The body of {id} is not what it should be.", Cancel);
    }

    public Task FailAsync(DateTimeOffset at, params IEnumerable<string> ids)
    {
        var messages = ids.Select(id => Message(id, QueueMessage.Delivery)).ToArray();
        foreach (var message in messages)
        {
            message.ApplicationProperties[DeadLetter.ReasonProperty] = "MaxDeliveryCountExceeded";
            message.ApplicationProperties[DeadLetter.DescriptionProperty] = "It was handed out 10 times.";
            message.ApplicationProperties[DeadLetter.FailedAtProperty] = $"{at:O}";
        }
        return SendAsync(Failed, messages);
    }

    public async Task HandOutFailedAsync()
    {
        await using var receiver = _client.CreateReceiver(Failed);
        await receiver.AbandonMessageAsync(
            (await receiver.ReceiveMessageAsync(cancellationToken: Cancel))!,
            cancellationToken: Cancel
        );
    }

    public async Task<IReadOnlyList<ServiceBusReceivedMessage>> TakeAllAsync()
    {
        var taken = new List<ServiceBusReceivedMessage>();
        await using var receiver = _client.CreateReceiver(
            Main,
            new ServiceBusReceiverOptions { ReceiveMode = ServiceBusReceiveMode.ReceiveAndDelete }
        );
        while (_broker.Broker.Entities.Get(Main).Counts().ActiveMessageCount > 0)
            taken.AddRange(await receiver.ReceiveMessagesAsync(100, cancellationToken: Cancel));
        return taken;
    }

    /// <summary>Locks the oldest message of the dead-letter queue until the returned receiver is disposed.</summary>
    public async Task<ServiceBusReceiver> HoldOldestAsync()
    {
        var receiver = _client.CreateReceiver(Main, new ServiceBusReceiverOptions { SubQueue = SubQueue.DeadLetter });
        Assert.NotNull(await receiver.ReceiveMessageAsync(cancellationToken: Cancel));
        return receiver;
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _broker.DisposeAsync();
    }

    private static ServiceBusMessage Message(string id, string operation) =>
        new($$"""{"deliveryId":"{{id}}"}""")
        {
            MessageId = id,
            CorrelationId = "delivery-of-" + id,
            ContentType = QueueMessage.ContentType,
            ApplicationProperties =
            {
                [QueueMessage.OperationProperty] = operation,
                [QueueMessage.FingerprintProperty] = "print-of-" + id,
            },
        };

    private async Task SendAsync(string queue, params ServiceBusMessage[] messages)
    {
        await using var sender = _client.CreateSender(queue);
        await sender.SendMessagesAsync(messages, Cancel);
    }
}
