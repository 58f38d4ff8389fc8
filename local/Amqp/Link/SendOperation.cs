namespace DroneDelivery.Amqp;

/// <summary>A send that waits for credit, then for its outcome, until the token ends the wait.</summary>
internal sealed class SendOperation : TaskCompletionSource<DeliveryState>
{
    private readonly CancellationTokenRegistration _cancellation;

    public SendOperation(ReadOnlyMemory<byte> message, uint messageFormat, bool settled, CancellationToken cancellationToken)
        : base(TaskCreationOptions.RunContinuationsAsynchronously)
    {
        (Message, MessageFormat, Settled) = (message, messageFormat, settled);
        _cancellation = cancellationToken.UnsafeRegister(static (o, ct) => ((SendOperation)o!).TrySetCanceled(ct), this);
    }

    public ReadOnlyMemory<byte> Message { get; }

    public uint MessageFormat { get; }

    public bool Settled { get; }

    public void End(DeliveryState outcome)
    {
        _cancellation.Unregister();
        TrySetResult(outcome);
    }

    public void Fail(AmqpException why)
    {
        _cancellation.Unregister();
        TrySetException(why);
    }
}
