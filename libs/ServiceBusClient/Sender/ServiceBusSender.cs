namespace Azure.Messaging.ServiceBus;

/// <summary>Sends to one queue. A send returns when the broker has accepted the message; on doubt it is sent again.</summary>
public class ServiceBusSender : IAsyncDisposable
{
    /// <summary>For fakes in tests.</summary>
    protected ServiceBusSender()
    {
    }

    public virtual string FullyQualifiedNamespace { get; } = "";

    public virtual string EntityPath { get; } = "";

    public virtual string Identifier { get; } = "";

    public virtual bool IsClosed { get; }

    public virtual Task SendMessageAsync(ServiceBusMessage message, CancellationToken cancellationToken = default) => throw new NotImplementedException();

    /// <exception cref="ServiceBusException"><see cref="ServiceBusFailureReason.MessageSizeExceeded"/> when they do not fit into one transfer.</exception>
    public virtual Task SendMessagesAsync(IEnumerable<ServiceBusMessage> messages, CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual Task SendMessagesAsync(ServiceBusMessageBatch messageBatch, CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual ValueTask<ServiceBusMessageBatch> CreateMessageBatchAsync(CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual ValueTask<ServiceBusMessageBatch> CreateMessageBatchAsync(CreateMessageBatchOptions options, CancellationToken cancellationToken = default) =>
        throw new NotImplementedException();

    /// <returns>The sequence number by which the message can be cancelled until it is due.</returns>
    public virtual Task<long> ScheduleMessageAsync(ServiceBusMessage message, DateTimeOffset scheduledEnqueueTime, CancellationToken cancellationToken = default) =>
        throw new NotImplementedException();

    public virtual Task<IReadOnlyList<long>> ScheduleMessagesAsync(
        IEnumerable<ServiceBusMessage> messages,
        DateTimeOffset scheduledEnqueueTime,
        CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual Task CancelScheduledMessageAsync(long sequenceNumber, CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual Task CancelScheduledMessagesAsync(IEnumerable<long> sequenceNumbers, CancellationToken cancellationToken = default) =>
        throw new NotImplementedException();

    public virtual Task CloseAsync(CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual async ValueTask DisposeAsync()
    {
        await CloseAsync();
        GC.SuppressFinalize(this);
    }
}
