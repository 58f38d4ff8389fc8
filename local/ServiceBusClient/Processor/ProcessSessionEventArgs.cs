namespace Azure.Messaging.ServiceBus;

/// <summary>A session that a processor has taken, or is about to give back.</summary>
public class ProcessSessionEventArgs : EventArgs
{
    private readonly ServiceBusSessionReceiver _receiver;
    private readonly OpenSession? _session;

    public ProcessSessionEventArgs(ServiceBusSessionReceiver receiver, CancellationToken cancellationToken)
        : this(receiver, receiver?.Identifier ?? "", cancellationToken)
    {
    }

    public ProcessSessionEventArgs(ServiceBusSessionReceiver receiver, string identifier, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(receiver);
        Identifier = identifier;
        CancellationToken = cancellationToken;
        _receiver = receiver;
    }

    internal ProcessSessionEventArgs(OpenSession session, string identifier, CancellationToken cancellationToken)
        : this(session.Receiver, identifier, cancellationToken) => _session = session;

    /// <summary>Set when the processor is asked to stop.</summary>
    public CancellationToken CancellationToken { get; }

    public string Identifier { get; }

    public string SessionId => _receiver.SessionId;

    public DateTimeOffset SessionLockedUntil => _receiver.SessionLockedUntil;

    public string EntityPath => _receiver.EntityPath;

    public string FullyQualifiedNamespace => _receiver.FullyQualifiedNamespace;

    public virtual Task<BinaryData?> GetSessionStateAsync(CancellationToken cancellationToken = default) =>
        _receiver.GetSessionStateAsync(cancellationToken);

    public virtual Task SetSessionStateAsync(BinaryData? sessionState, CancellationToken cancellationToken = default) =>
        _receiver.SetSessionStateAsync(sessionState, cancellationToken);

    public virtual Task RenewSessionLockAsync(CancellationToken cancellationToken = default) =>
        _receiver.RenewSessionLockAsync(cancellationToken);

    /// <summary>No further message of the session is received; it is given back when its handlers have ended.</summary>
    public virtual void ReleaseSession() => _session?.Release();
}
