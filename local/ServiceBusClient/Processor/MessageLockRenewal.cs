namespace Azure.Messaging.ServiceBus;

/// <summary>Keeps the lock of the message that a handler works on; messages that only wait in a buffer are left alone.</summary>
internal sealed class MessageLockRenewal : LockRenewal
{
    private readonly ServiceBusReceiver _receiver;
    private readonly ServiceBusReceivedMessage _message;

    /// <param name="receiver">Renews.</param>
    /// <param name="message">Whose lock is kept.</param>
    public MessageLockRenewal(
        ServiceBusReceiver receiver,
        ServiceBusReceivedMessage message,
        TimeSpan longest,
        TimeProvider time,
        Func<Exception, Task> onError)
        : base(longest, time, onError)
    {
        _receiver = receiver;
        _message = message;
        Begin();
    }

    protected override DateTimeOffset LockedUntil => _message.LockedUntil;

    protected override bool IsOver => _message.IsSettled;

    protected override Task RenewAsync(CancellationToken cancellationToken) =>
        _receiver.RenewMessageLockAsync(_message, cancellationToken);
}
