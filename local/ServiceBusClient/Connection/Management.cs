using System.Globalization;
using DroneDelivery.Amqp;

namespace Azure.Messaging.ServiceBus;

/// <summary>What is asked of a queue beside sending, receiving and settling: over its <c>$management</c> node.</summary>
internal sealed class Management(BusConnection connection, string entityPath) : IAsyncDisposable
{
    private readonly Reopening<RequestResponse> _links = new(
        async cancellationToken =>
            await RequestResponse.OpenAsync(
                await connection.ForEntityAsync(entityPath, cancellationToken), $"{entityPath}/$management", cancellationToken),
        pair => pair.IsOpen,
        pair => pair.CloseAsync());

    public async Task<List<ServiceBusReceivedMessage>> PeekAsync(long from, int count, string? link, CancellationToken cancellationToken)
    {
        var body = new Dictionary<object, object?> { ["from-sequence-number"] = from, ["message-count"] = count };
        var answer = await AskAsync("peek-message", body, link, cancellationToken);
        return [.. Messages(answer).Select(entry => MessageConversion.FromAmqp(Bytes(entry["message"]), Guid.Empty, peeked: true))];
    }

    public async Task<List<ServiceBusReceivedMessage>> ReceiveDeferredAsync(
        long[] sequenceNumbers,
        ServiceBusReceiveMode mode,
        string? link,
        CancellationToken cancellationToken)
    {
        var body = new Dictionary<object, object?>
        {
            ["sequence-numbers"] = sequenceNumbers,
            ["receiver-settle-mode"] = mode == ServiceBusReceiveMode.PeekLock ? 1u : 0u,
        };
        var answer = await AskAsync("receive-by-sequence-number", body, link, cancellationToken);
        return [.. Messages(answer).Select(entry => MessageConversion.FromAmqp(
            Bytes(entry["message"]), entry.GetValueOrDefault("lock-token") as Guid? ?? Guid.Empty))];
    }

    /// <returns>Until when the message is locked now.</returns>
    public async Task<DateTimeOffset> RenewLockAsync(Guid lockToken, string? link, CancellationToken cancellationToken)
    {
        var answer = await AskAsync("renew-lock", new() { ["lock-tokens"] = new[] { lockToken } }, link, cancellationToken);
        return ((DateTimeOffset[])answer["expirations"]!)[0];
    }

    /// <summary>Settles a message that did not come over the current link: one from before a reconnect, or a deferred one.</summary>
    public Task SettleAsync(Guid lockToken, Settlement settlement, string? link, CancellationToken cancellationToken)
    {
        var body = new Dictionary<object, object?>
        {
            ["lock-tokens"] = new[] { lockToken },
            ["disposition-status"] = settlement.Status,
        };
        if (settlement.DeadLetterReason is { } reason)
            body["deadletter-reason"] = reason;
        if (settlement.DeadLetterDescription is { } description)
            body["deadletter-description"] = description;
        if (PropertyValues.ToAmqp(settlement.Properties) is { } properties)
            body["properties-to-modify"] = properties.ToDictionary(property => (object)property.Key.Value, property => property.Value);
        return AskAsync("update-disposition", body, link, cancellationToken);
    }

    public async Task<long[]> ScheduleAsync(
        IEnumerable<Dictionary<object, object?>> messages, string? link, CancellationToken cancellationToken)
    {
        var answer = await AskAsync("schedule-message", new() { ["messages"] = messages.ToList<object?>() }, link, cancellationToken);
        return (long[])answer["sequence-numbers"]!;
    }

    public Task CancelScheduledAsync(long[] sequenceNumbers, string? link, CancellationToken cancellationToken) =>
        AskAsync("cancel-scheduled-message", new() { ["sequence-numbers"] = sequenceNumbers }, link, cancellationToken);

    public ValueTask DisposeAsync() => _links.DisposeAsync();

    private async Task<Dictionary<object, object?>> AskAsync(
        string operation, Dictionary<object, object?> body, string? link, CancellationToken cancellationToken)
    {
        var pair = await _links.GetAsync(cancellationToken);
        var request = new AmqpMessage
        {
            ApplicationProperties = new()
            {
                ["operation"] = $"com.microsoft:{operation}",
                ["com.microsoft:server-timeout"] = (uint)connection.RetryOptions.TryTimeout.TotalMilliseconds,
            },
            Value = body,
        };
        if (link is not null)
            request.ApplicationProperties["associated-link-name"] = link;
        var answer = await pair.AskAsync(request, cancellationToken);

        var properties = answer.ApplicationProperties ?? [];
        var status = Convert.ToInt32(properties.GetValueOrDefault("statusCode") ?? 500, CultureInfo.InvariantCulture);
        var condition = properties.GetValueOrDefault("errorCondition") as Symbol?;
        if (status is 204 || (status is 404 && condition?.Value == "com.microsoft:message-not-found" && operation == "peek-message"))
            return [];
        return status is >= 200 and < 300
            ? answer.Value as Dictionary<object, object?> ?? []
            : throw ErrorTranslation.FromManagement(
                status, condition, properties.GetValueOrDefault("statusDescription") as string, entityPath);
    }

    private static IEnumerable<Dictionary<object, object?>> Messages(Dictionary<object, object?> answer) =>
        (answer.GetValueOrDefault("messages") as List<object?> ?? []).Cast<Dictionary<object, object?>>();

    private static ReadOnlyMemory<byte> Bytes(object? value) => value switch
    {
        byte[] bytes => bytes,
        ReadOnlyMemory<byte> memory => memory,
        _ => throw new AmqpException(new AmqpError(ErrorConditions.DecodeError, "The broker's answer holds a message that is not binary.")),
    };
}
