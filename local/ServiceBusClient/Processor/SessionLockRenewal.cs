namespace Azure.Messaging.ServiceBus;

/// <summary>Keeps the session that a processor has taken, with all its messages.</summary>
internal sealed class SessionLockRenewal : LockRenewal
{
    private readonly ServiceBusSessionReceiver _receiver;

    /// <param name="receiver">Whose session is kept.</param>
    public SessionLockRenewal(
        ServiceBusSessionReceiver receiver, TimeSpan longest, TimeProvider time, Func<Exception, Task> onError)
        : base(longest, time, onError)
    {
        _receiver = receiver;
        Begin();
    }

    protected override DateTimeOffset LockedUntil => _receiver.SessionLockedUntil;

    protected override Task RenewAsync(CancellationToken cancellationToken) => _receiver.RenewSessionLockAsync(cancellationToken);
}
