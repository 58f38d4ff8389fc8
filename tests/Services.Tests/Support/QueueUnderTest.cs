using System.Net;
using System.Net.Sockets;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Support;

internal sealed class QueueUnderTest : IAsyncDisposable
{
    private const string FailedQueueName = "delivery-requests-failed";

    private readonly ReservedPort _port;
    private readonly Queue _queue;
    private readonly ServiceBusClient _client;
    private readonly ServiceBusSender _sender;

    private QueueUnderTest(ReservedPort port, BrokerFixture broker, Queue queue)
    {
        _port = port;
        Broker = broker;
        _queue = queue;
        _client = new ServiceBusClient(broker.ConnectionString);
        _sender = _client.CreateSender(queue.Name);
    }

    public BrokerFixture Broker { get; }

    public QueueCounts Counts => _queue.Counts();

    /// <summary>The number of links that receive from the queue.</summary>
    public int Receivers => Broker.Broker.LinksOf(_queue).Count;

    /// <summary>
    /// The number of messages locked by closed links. The SDK may lose a message that arrives while its processor
    /// stops, so it is redelivered when its lock expires.
    /// </summary>
    public long Lost
    {
        get
        {
            // A message may be delivered or settled between the two reads.
            var (before, locked, after) = (Unsettled, Counts.Locked, Unsettled);
            return locked - Math.Max(before, after);
        }
    }

    /// <summary>The number of further messages that the receivers accept.</summary>
    public long Credit => Broker.Broker.LinksOf(_queue).Sum(link => link.Credit);

    /// <summary>Settings of a service whose broker is unavailable.</summary>
    public static Dictionary<string, string?> Nowhere => new() { ["ServiceBus:ConnectionString"] = ConnectionTo(1) };

    public static string ConnectionTo(TcpListener listener) => ConnectionTo(((IPEndPoint)listener.LocalEndpoint).Port);

    private static string ConnectionTo(int port) =>
        $"Endpoint=sb://127.0.0.1:{port};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;"
        + "UseDevelopmentEmulator=true";

    public Dictionary<string, string?> Settings =>
        new() { ["ServiceBus:ConnectionString"] = Broker.ConnectionString, ["ServiceBus:QueueName"] = _queue.Name };

    /// <param name="brokerTime">The broker's clock, which determines lock expiry.</param>
    public static async Task<QueueUnderTest> StartAsync(
        Func<QueueOptions, QueueOptions>? configure = null,
        TimeProvider? brokerTime = null
    )
    {
        var port = new ReservedPort();
        var broker = await BrokerFixture.StartAsync(
            // The broker's clock determines token expiry, but the service creates tokens with the system clock.
            new()
            {
                Port = port.Number,
                TimeProvider = brokerTime ?? TimeProvider.System,
                RequireTokens = brokerTime is null,
            },
            Cancelled
        );
        return new QueueUnderTest(port, broker, broker.CreateQueue(configure));
    }

    public void Update(Func<QueueOptions, QueueOptions> change) =>
        Broker.Broker.Entities.Update(change(_queue.Options));

    public Task SendAsync(params IEnumerable<ServiceBusMessage> messages) =>
        _sender.SendMessagesAsync(messages, Cancelled);

    public Task<ServiceBusReceivedMessage> TakeAsync() => TakeAsync(SubQueue.None);

    public Task<ServiceBusReceivedMessage> TakeDeadLetterAsync() => TakeAsync(SubQueue.DeadLetter);

    public Task<ServiceBusReceivedMessage> TakeFailedAsync() => TakeAsync(SubQueue.None, FailedQueueName);

    public async Task<ServiceBusReceivedMessage?> TryTakeFailedAsync()
    {
        var options = new ServiceBusReceiverOptions { ReceiveMode = ServiceBusReceiveMode.ReceiveAndDelete };
        await using var receiver = _client.CreateReceiver(FailedQueueName, options);
        while (Failed > 0) // Another receiver may take the last message.
        {
            if (await receiver.ReceiveMessageAsync(TimeSpan.FromSeconds(1), Cancelled) is { } message)
                return message;
        }
        return null;
    }

    public long Failed => Broker.Broker.Entities.Queues.Single(queue => queue.Name == FailedQueueName).Counts().Active;

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await Broker.DisposeAsync();
        _port.Dispose();
    }

    private long Unsettled => Broker.Broker.LinksOf(_queue).Sum(link => link.Unsettled);

    private async Task<ServiceBusReceivedMessage> TakeAsync(SubQueue subQueue, string? queue = null)
    {
        var options = new ServiceBusReceiverOptions
        {
            SubQueue = subQueue,
            ReceiveMode = ServiceBusReceiveMode.ReceiveAndDelete,
        };
        await using var receiver = _client.CreateReceiver(queue ?? _queue.Name, options);
        var message = await receiver.ReceiveMessageAsync(TimeSpan.FromSeconds(60), Cancelled);
        Assert.True(message is not null, "No message was received.");
        return message;
    }
}

internal static class QueueMessages
{
    /// <param name="acceptedAt">
    /// The acceptance time in Ingestion's format; <c>null</c> for a producer that sends none.
    /// </param>
    public static ServiceBusMessage Delivery(DeliveryRequest request, string? acceptedAt = null) =>
        Message(QueueMessage.Delivery, request.DeliveryId!, request, acceptedAt);

    public static IEnumerable<ServiceBusMessage> Deliveries(int count) =>
        Enumerable.Range(0, count).Select(i => Delivery(SampleRequests.Delivery($"order-{i}")));

    public static ServiceBusMessage Again(ServiceBusReceivedMessage failed, int attempt) =>
        new(failed)
        {
            MessageId = Guid.NewGuid().ToString(),
            ApplicationProperties = { [QueueMessage.AttemptProperty] = attempt },
        };

    public static ServiceBusMessage Cancel(string deliveryId, string? acceptedAt = null) =>
        Message(QueueMessage.Cancel, deliveryId, new CancelRequest { DeliveryId = deliveryId }, acceptedAt);

    public static ServiceBusMessage Reschedule(RescheduleRequest changes, string? acceptedAt = null) =>
        Message(QueueMessage.Reschedule, changes.DeliveryId!, changes, acceptedAt);

    public static ServiceBusMessage Message(
        string? operation,
        string deliveryId,
        object body,
        string? acceptedAt = null
    )
    {
        var message = new ServiceBusMessage(BinaryData.FromObjectAsJson(body, ContractJson.Options))
        {
            MessageId = deliveryId,
            CorrelationId = deliveryId,
        };
        if (operation is not null)
            message.ApplicationProperties[QueueMessage.OperationProperty] = operation;
        if (acceptedAt is not null)
            message.ApplicationProperties[QueueMessage.AcceptedProperty] = acceptedAt;
        return message;
    }
}
