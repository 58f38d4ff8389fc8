namespace Azure.Messaging.ServiceBus;

/// <summary>An error inside a processor, which goes on: for logs and counters.</summary>
public sealed class ProcessErrorEventArgs(
    Exception exception,
    ServiceBusErrorSource errorSource,
    string fullyQualifiedNamespace,
    string entityPath,
    string identifier,
    CancellationToken cancellationToken) : EventArgs
{
    public ProcessErrorEventArgs(
        Exception exception,
        ServiceBusErrorSource errorSource,
        string fullyQualifiedNamespace,
        string entityPath,
        CancellationToken cancellationToken)
        : this(exception, errorSource, fullyQualifiedNamespace, entityPath, "", cancellationToken)
    {
    }

    public Exception Exception { get; } = exception;

    public ServiceBusErrorSource ErrorSource { get; } = errorSource;

    public string FullyQualifiedNamespace { get; } = fullyQualifiedNamespace;

    public string EntityPath { get; } = entityPath;

    public string Identifier { get; } = identifier;

    public CancellationToken CancellationToken { get; } = cancellationToken;
}
