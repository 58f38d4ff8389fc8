namespace DroneDelivery.Amqp;

/// <summary>A send that waits for credit, then for its outcome.</summary>
internal sealed class SendOperation(ReadOnlyMemory<byte> message, uint messageFormat, bool settled)
    : TaskCompletionSource<DeliveryState>(TaskCreationOptions.RunContinuationsAsynchronously)
{
    public ReadOnlyMemory<byte> Message => message;
    public uint MessageFormat => messageFormat;
    public bool Settled => settled;
}
