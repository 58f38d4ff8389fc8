using System.Runtime.CompilerServices;

namespace Azure.Messaging.ServiceBus;

/// <summary>Receives from one queue and settles what it received.</summary>
public class ServiceBusReceiver : IAsyncDisposable
{
    /// <summary>For fakes in tests.</summary>
    protected ServiceBusReceiver()
    {
    }

    public virtual string FullyQualifiedNamespace { get; } = "";

    public virtual string EntityPath { get; } = "";

    public virtual string Identifier { get; } = "";

    public virtual ServiceBusReceiveMode ReceiveMode { get; }

    public virtual int PrefetchCount { get; }

    public virtual bool IsClosed { get; }

    /// <param name="maxWaitTime">Default: <see cref="ServiceBusRetryOptions.TryTimeout"/>.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>Null when none came within <paramref name="maxWaitTime"/>.</returns>
    public virtual Task<ServiceBusReceivedMessage?> ReceiveMessageAsync(TimeSpan? maxWaitTime = null, CancellationToken cancellationToken = default) =>
        throw new NotImplementedException();

    /// <returns>At least one message and at most <paramref name="maxMessages"/>; none when none came within <paramref name="maxWaitTime"/>.</returns>
    public virtual Task<IReadOnlyList<ServiceBusReceivedMessage>> ReceiveMessagesAsync(
        int maxMessages,
        TimeSpan? maxWaitTime = null,
        CancellationToken cancellationToken = default) => throw new NotImplementedException();

    /// <summary>Every message as it comes, until cancelled.</summary>
    public virtual async IAsyncEnumerable<ServiceBusReceivedMessage> ReceiveMessagesAsync([EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            if (await ReceiveMessageAsync(cancellationToken: cancellationToken) is { } message)
                yield return message;
        }
    }

    /// <summary>Looks at a message without locking it; without a sequence number goes on after the one peeked last.</summary>
    public virtual Task<ServiceBusReceivedMessage?> PeekMessageAsync(long? fromSequenceNumber = null, CancellationToken cancellationToken = default) =>
        throw new NotImplementedException();

    public virtual Task<IReadOnlyList<ServiceBusReceivedMessage>> PeekMessagesAsync(
        int maxMessages,
        long? fromSequenceNumber = null,
        CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual Task<ServiceBusReceivedMessage> ReceiveDeferredMessageAsync(long sequenceNumber, CancellationToken cancellationToken = default) =>
        throw new NotImplementedException();

    public virtual Task<IReadOnlyList<ServiceBusReceivedMessage>> ReceiveDeferredMessagesAsync(
        IEnumerable<long> sequenceNumbers,
        CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual Task CompleteMessageAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual Task AbandonMessageAsync(
        ServiceBusReceivedMessage message,
        IDictionary<string, object>? propertiesToModify = null,
        CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual Task DeferMessageAsync(
        ServiceBusReceivedMessage message,
        IDictionary<string, object>? propertiesToModify = null,
        CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual Task DeadLetterMessageAsync(
        ServiceBusReceivedMessage message,
        IDictionary<string, object>? propertiesToModify = null,
        CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual Task DeadLetterMessageAsync(
        ServiceBusReceivedMessage message,
        string deadLetterReason,
        string? deadLetterErrorDescription = null,
        CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual Task DeadLetterMessageAsync(
        ServiceBusReceivedMessage message,
        IDictionary<string, object> propertiesToModify,
        string deadLetterReason,
        string? deadLetterErrorDescription = null,
        CancellationToken cancellationToken = default) => throw new NotImplementedException();

    /// <summary>Moves <see cref="ServiceBusReceivedMessage.LockedUntil"/> a lock duration from now.</summary>
    public virtual Task RenewMessageLockAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual Task CloseAsync(CancellationToken cancellationToken = default) => throw new NotImplementedException();

    public virtual async ValueTask DisposeAsync()
    {
        await CloseAsync();
        GC.SuppressFinalize(this);
    }
}
