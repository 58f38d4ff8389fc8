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

    public async Task<List<ServiceBusReceivedMessage>> PeekAsync(long from, int count, Requester by, CancellationToken cancellationToken)
    {
        var body = new Dictionary<object, object?> { ["from-sequence-number"] = from, ["message-count"] = count };
        var answer = await AskAsync("peek-message", body, by, cancellationToken);
        return [.. Messages(answer).Select(entry => MessageConversion.FromAmqp(Bytes(entry["message"]), Guid.Empty, peeked: true))];
    }

    public async Task<List<ServiceBusReceivedMessage>> ReceiveDeferredAsync(
        long[] sequenceNumbers,
        ServiceBusReceiveMode mode,
        Requester by,
        CancellationToken cancellationToken)
    {
        var body = new Dictionary<object, object?>
        {
            ["sequence-numbers"] = sequenceNumbers,
            ["receiver-settle-mode"] = mode == ServiceBusReceiveMode.PeekLock ? 1u : 0u,
        };
        var answer = await AskAsync("receive-by-sequence-number", body, by, cancellationToken);
        return [.. Messages(answer).Select(entry => MessageConversion.FromAmqp(
            Bytes(entry["message"]), entry.GetValueOrDefault("lock-token") as Guid? ?? Guid.Empty))];
    }

    /// <returns>Until when the message is locked now.</returns>
    public async Task<DateTimeOffset> RenewLockAsync(Guid lockToken, Requester by, CancellationToken cancellationToken)
    {
        var answer = await AskAsync("renew-lock", new() { ["lock-tokens"] = new[] { lockToken } }, by, cancellationToken);
        return ((DateTimeOffset[])answer["expirations"]!)[0];
    }

    /// <summary>Settles a message that did not come over the current link: one from before a reconnect, or a deferred one.</summary>
    public Task SettleAsync(Guid lockToken, Settlement settlement, Requester by, CancellationToken cancellationToken)
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
        return AskAsync("update-disposition", body, by, cancellationToken);
    }

    /// <returns>Until when the session is locked now.</returns>
    public async Task<DateTimeOffset> RenewSessionLockAsync(Requester by, CancellationToken cancellationToken)
    {
        var answer = await AskAsync("renew-session-lock", [], by, cancellationToken);
        return (DateTimeOffset)answer["expiration"]!;
    }

    /// <returns>Null: the session has none.</returns>
    public async Task<BinaryData?> GetSessionStateAsync(Requester by, CancellationToken cancellationToken)
    {
        var answer = await AskAsync("get-session-state", [], by, cancellationToken);
        return answer.GetValueOrDefault("session-state") is { } state ? BinaryData.FromBytes(Bytes(state)) : null;
    }

    public Task SetSessionStateAsync(BinaryData? state, Requester by, CancellationToken cancellationToken) =>
        AskAsync("set-session-state", new() { ["session-state"] = state?.ToArray() }, by, cancellationToken);

    public async Task<long[]> ScheduleAsync(
        IEnumerable<Dictionary<object, object?>> messages, Requester by, CancellationToken cancellationToken)
    {
        var answer = await AskAsync("schedule-message", new() { ["messages"] = messages.ToList<object?>() }, by, cancellationToken);
        return (long[])answer["sequence-numbers"]!;
    }

    public Task CancelScheduledAsync(long[] sequenceNumbers, Requester by, CancellationToken cancellationToken) =>
        AskAsync("cancel-scheduled-message", new() { ["sequence-numbers"] = sequenceNumbers }, by, cancellationToken);

    public Task AddRuleAsync(string name, Dictionary<object, object?> description, CancellationToken cancellationToken) =>
        AskAsync("add-rule", new() { ["rule-name"] = name, ["rule-description"] = description }, default, cancellationToken);

    public Task RemoveRuleAsync(string name, CancellationToken cancellationToken) =>
        AskAsync("remove-rule", new() { ["rule-name"] = name }, default, cancellationToken);

    /// <returns>Descriptions of at most <paramref name="top"/> rules, without the first <paramref name="skip"/>.</returns>
    public async Task<List<object?>> RulesAsync(int skip, int top, CancellationToken cancellationToken)
    {
        var answer = await AskAsync("enumerate-rules", new() { ["skip"] = skip, ["top"] = top }, default, cancellationToken);
        return [.. Maps(answer, "rules").Select(entry => entry.GetValueOrDefault("rule-description"))];
    }

    public ValueTask DisposeAsync() => _links.DisposeAsync();

    private async Task<Dictionary<object, object?>> AskAsync(
        string operation, Dictionary<object, object?> body, Requester by, CancellationToken cancellationToken)
    {
        if (by.SessionId is not null)
            body["session-id"] = by.SessionId;
        var pair = await _links.GetAsync(cancellationToken);
        var request = new AmqpMessage
        {
            ApplicationProperties = new()
            {
                ["operation"] = $"com.microsoft:{operation}",
                ["com.microsoft:server-timeout"] = (uint)connection.RetryOptions.FirstTryTimeout.TotalMilliseconds,
            },
            Value = body,
        };
        if (by.Link is not null)
            request.ApplicationProperties["associated-link-name"] = by.Link;
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

    private static IEnumerable<Dictionary<object, object?>> Messages(Dictionary<object, object?> answer) => Maps(answer, "messages");

    private static IEnumerable<Dictionary<object, object?>> Maps(Dictionary<object, object?> answer, string name) =>
        (answer.GetValueOrDefault(name) as List<object?> ?? []).Cast<Dictionary<object, object?>>();

    private static ReadOnlyMemory<byte> Bytes(object? value) => value switch
    {
        byte[] bytes => bytes,
        ReadOnlyMemory<byte> memory => memory,
        _ => throw new AmqpException(new AmqpError(ErrorConditions.DecodeError, "The broker's answer holds a message that is not binary.")),
    };
}
