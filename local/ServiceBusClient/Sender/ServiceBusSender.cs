namespace Azure.Messaging.ServiceBus;

/// <summary>Sends to one queue. A send returns when the broker has accepted the message; on doubt it is sent again.</summary>
public class ServiceBusSender : IAsyncDisposable
{
    private readonly BusConnection _connection = null!;
    private readonly Reopening<SendLink> _link = null!;
    private readonly Management _management = null!;
    private readonly BusDiagnostics _diagnostics = null!;
    private readonly Retries _retries = null!;

    /// <summary>For fakes in tests.</summary>
    protected ServiceBusSender()
    {
    }

    internal ServiceBusSender(BusConnection connection, string entityPath, ServiceBusSenderOptions options)
    {
        _connection = connection;
        EntityPath = entityPath;
        FullyQualifiedNamespace = connection.FullyQualifiedNamespace;
        Identifier = options.Identifier ?? $"{entityPath}-{Guid.NewGuid()}";
        _diagnostics = new BusDiagnostics(FullyQualifiedNamespace, EntityPath);
        _management = new Management(connection, EntityPath);
        _retries = connection.NewRetries();
        _link = new Reopening<SendLink>(OpenLinkAsync, one => one.IsOpen, one => one.CloseAsync());
    }

    public virtual string FullyQualifiedNamespace { get; } = "";

    public virtual string EntityPath { get; } = "";

    public virtual string Identifier { get; } = "";

    public virtual bool IsClosed { get; private set; }

    private Requester By => new(_link.Current?.Name);

    public virtual Task SendMessageAsync(ServiceBusMessage message, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(message);
        return SendMessagesAsync([message], cancellationToken);
    }

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessageSizeExceeded"/> when they do not fit
    /// into one transfer.</exception>
    public virtual async Task SendMessagesAsync(IEnumerable<ServiceBusMessage> messages, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(messages);
        CheckOpen();
        ServiceBusMessage[] all = [.. messages];
        if (all.Length == 0)
            return;
        foreach (var message in all)
            _diagnostics.Instrument(message);
        var transfer = MessageBatchEnvelope.Of(
            [.. all.Select(message => MessageConversion.ToAmqp(message, _connection.Time).ToArray())], all[0]);
        await SendAsync(all, transfer, cancellationToken);
    }

    public virtual async Task SendMessagesAsync(ServiceBusMessageBatch messageBatch, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(messageBatch);
        CheckOpen();
        if (messageBatch.Count > 0)
            await SendAsync(messageBatch.Messages, messageBatch.ToTransfer(), cancellationToken);
    }

    public virtual ValueTask<ServiceBusMessageBatch> CreateMessageBatchAsync(CancellationToken cancellationToken = default) =>
        CreateMessageBatchAsync(new CreateMessageBatchOptions(), cancellationToken);

    /// <exception cref="ArgumentOutOfRangeException">The options ask for more than the broker takes.</exception>
    public virtual async ValueTask<ServiceBusMessageBatch> CreateMessageBatchAsync(
        CreateMessageBatchOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        CheckOpen();
        var largest = await RunAsync(static async (sender, ct) => (await sender._link.GetAsync(ct)).LargestBatch, this, cancellationToken);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(
            options.MaxSizeInBytes ?? 0, largest, nameof(CreateMessageBatchOptions.MaxSizeInBytes));
        return new ServiceBusMessageBatch(options.MaxSizeInBytes ?? largest, _diagnostics, _connection.Time);
    }

    /// <returns>The sequence number by which the message can be cancelled until it is due.</returns>
    public virtual async Task<long> ScheduleMessageAsync(
        ServiceBusMessage message,
        DateTimeOffset scheduledEnqueueTime,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(message);
        return (await ScheduleMessagesAsync([message], scheduledEnqueueTime, cancellationToken))[0];
    }

    public virtual async Task<IReadOnlyList<long>> ScheduleMessagesAsync(
        IEnumerable<ServiceBusMessage> messages,
        DateTimeOffset scheduledEnqueueTime,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(messages);
        CheckOpen();
        ServiceBusMessage[] all = [.. messages];
        if (all.Length == 0)
            return [];
        foreach (var message in all)
        {
            _diagnostics.Instrument(message);
            message.ScheduledEnqueueTime = scheduledEnqueueTime;
        }

        Dictionary<object, object?>[] entries = [.. all.Select(ToSchedule)];
        return await _diagnostics.RunAsync(
            "ServiceBusSender.Schedule",
            all,
            static call => call.This.RunAsync(
                static (call, ct) => call.This._management.ScheduleAsync(call.entries, call.This.By, ct),
                call,
                call.cancellationToken),
            (This: this, entries, cancellationToken));
    }

    public virtual Task CancelScheduledMessageAsync(long sequenceNumber, CancellationToken cancellationToken = default) =>
        CancelScheduledMessagesAsync([sequenceNumber], cancellationToken);

    public virtual async Task CancelScheduledMessagesAsync(IEnumerable<long> sequenceNumbers, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(sequenceNumbers);
        CheckOpen();
        long[] numbers = [.. sequenceNumbers];
        if (numbers.Length == 0)
            return;
        await _diagnostics.RunAsync(
            "ServiceBusSender.Cancel",
            Array.Empty<ServiceBusMessage>(),
            static call => call.This.RunAsync(
                static async (call, ct) =>
                {
                    await call.This._management.CancelScheduledAsync(call.numbers, call.This.By, ct);
                    return true;
                },
                call,
                call.cancellationToken),
            (This: this, numbers, cancellationToken));
    }

    public virtual async Task CloseAsync(CancellationToken cancellationToken = default)
    {
        IsClosed = true;
        await _link.DisposeAsync();
        await _management.DisposeAsync();
    }

    public virtual async ValueTask DisposeAsync()
    {
        await CloseAsync();
        GC.SuppressFinalize(this);
    }

    private Task<bool> SendAsync(
        IReadOnlyList<ServiceBusMessage> messages, (byte[] Bytes, uint Format) transfer, CancellationToken cancellationToken) =>
        _diagnostics.RunAsync(
            "ServiceBusSender.Send",
            messages,
            static call => call.This.RunAsync(
                static async (call, ct) =>
                {
                    var current = await call.This._link.GetAsync(ct);
                    await current.SendAsync(call.transfer.Bytes, call.transfer.Format, call.This.EntityPath, ct);
                    return true;
                },
                call,
                call.cancellationToken),
            (This: this, transfer, cancellationToken));

    private Dictionary<object, object?> ToSchedule(ServiceBusMessage message)
    {
        var entry = new Dictionary<object, object?> { ["message"] = MessageConversion.ToAmqp(message, _connection.Time).ToArray() };
        if (message.MessageId is { } id)
            entry["message-id"] = id;
        if (message.SessionId is { } session)
            entry["session-id"] = session;
        if (message.PartitionKey is { } key)
            entry["partition-key"] = key;
        if (message.TransactionPartitionKey is { } viaKey)
            entry["via-partition-key"] = viaKey;
        return entry;
    }

    private async Task<SendLink> OpenLinkAsync(CancellationToken cancellationToken)
    {
        var amqp = await _connection.ForEntityAsync(EntityPath, cancellationToken);
        return await SendLink.OpenAsync(amqp, EntityPath, $"{Identifier}-{Guid.NewGuid():N}", cancellationToken);
    }

    private Task<T> RunAsync<TState, T>(
        Func<TState, CancellationToken, Task<T>> operation, TState state, CancellationToken cancellationToken) =>
        _retries.RunAsync(operation, state, EntityPath, cancellationToken);

    private void CheckOpen() => ObjectDisposedException.ThrowIf(IsClosed || _connection.IsClosed, this);
}
