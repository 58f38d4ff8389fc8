using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Tracking.Validation;

namespace DroneDelivery.Tracking.Writing;

/// <summary>
/// Hits that were received together, and their messages: completed when the hit is stored, dead-lettered when it never can be. A settlement
/// that fails is logged; the message comes again.
/// </summary>
internal sealed partial class QueueRound(ServiceBusReceiver receiver, HitCounters counters, ILogger logger) : IHitOutcome
{
    // By reference: a message that was sent twice is two messages.
    private readonly Dictionary<Hit, ServiceBusReceivedMessage> _messages = new(ReferenceEqualityComparer.Instance);

    /// <returns>The hits; what this service would not have sent is dead-lettered: some servers answer it with 500 for ever.</returns>
    public async Task<IReadOnlyCollection<Hit>> ReadAsync(IReadOnlyList<ServiceBusReceivedMessage> messages)
    {
        foreach (var message in messages)
        {
            if (HitIn(message) is { } hit)
                _messages.Add(hit, message);
            else
                await SettleAsync(message, () => receiver.DeadLetterMessageAsync(message, "Unreadable", "The body is no hit."));
        }
        return _messages.Keys;
    }

    public Task StoredAsync(IReadOnlyList<Hit> hits)
    {
        counters.Stored(hits.Count);
        return Task.WhenAll(hits.Select(hit => _messages[hit])
            .Select(message => SettleAsync(message, () => receiver.CompleteMessageAsync(message))));
    }

    public Task RefusedAsync(Hit hit, string reason)
    {
        counters.Lost(1);
        var message = _messages[hit];
        return SettleAsync(message, () => receiver.DeadLetterMessageAsync(message, "TableRefuses", reason));
    }

    private static Hit? HitIn(ServiceBusReceivedMessage message)
    {
        try
        {
            var hit = message.Body.ToObjectFromJson<Hit>();
            return hit is { Table: not null, Tracker: not null } && TableNameAttribute.IsName(hit.Table)
                && EntityKeyAttribute.IsKey(hit.PartitionKey) && EntityKeyAttribute.IsKey(hit.RowKey)
                ? hit : null;
        }
        catch (Exception exception) when (exception is JsonException or NotSupportedException)
        {
            return null;
        }
    }

    private async Task SettleAsync(ServiceBusReceivedMessage message, Func<Task> settle)
    {
        try
        {
            await settle();
        }
        catch (Exception failure) // whatever it is: the lock ends, and the message is delivered again
        {
            Log.NotSettled(logger, message.MessageId, failure.Message);
        }
    }

    private static partial class Log
    {
        [LoggerMessage(Level = LogLevel.Warning, Message = "Message {MessageId} was not settled and comes again: {Failure}")]
        public static partial void NotSettled(ILogger logger, string? messageId, string failure);
    }
}
