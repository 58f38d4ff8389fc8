using System.Text.Json;
using System.Text.Json.Nodes;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;

namespace DroneDelivery.Lab.Load;

/// <summary>Sends delivery requests to the queue at the maximum rate, as Ingestion would.</summary>
internal static class QueuePreload
{
    /// <param name="due">When the messages are enqueued; by default, immediately.</param>
    public static async Task SendAsync(
        string connectionString,
        string queue,
        int count,
        int instructionsLength,
        DateTimeOffset due,
        CancellationToken cancellationToken
    )
    {
        await using var client = new ServiceBusClient(connectionString);
        await SendAsync(client, queue, count, instructionsLength, due, cancellationToken);
    }

    public static async Task SendAsync(
        ServiceBusClient client,
        string queue,
        int count,
        int instructionsLength,
        DateTimeOffset due,
        CancellationToken cancellationToken
    )
    {
        await using var sender = client.CreateSender(queue);
        var template = JsonNode.Parse(DeliveryRequests.Template(instructionsLength))!.AsObject();
        for (var sent = 0; sent < count; )
            sent += await SendBatchAsync(sender, () => Message(template, due), count - sent, cancellationToken);
    }

    private static async Task<int> SendBatchAsync(
        ServiceBusSender sender,
        Func<ServiceBusMessage> message,
        int count,
        CancellationToken cancellationToken
    )
    {
        using var batch = await sender.CreateMessageBatchAsync(cancellationToken);
        while (batch.Count < count && batch.TryAddMessage(message())) { }

        await sender.SendMessagesAsync(batch, cancellationToken);
        return batch.Count;
    }

    private static ServiceBusMessage Message(JsonObject template, DateTimeOffset due)
    {
        var id = Guid.CreateVersion7().ToString();
        template["deliveryId"] = id;
        template["packageInfo"]!["packageId"] = "package-" + id;
        return new(JsonSerializer.SerializeToUtf8Bytes(template))
        {
            MessageId = id,
            CorrelationId = id,
            ContentType = QueueMessage.ContentType,
            ScheduledEnqueueTime = due,
            ApplicationProperties = { [QueueMessage.OperationProperty] = QueueMessage.Delivery },
        };
    }
}
