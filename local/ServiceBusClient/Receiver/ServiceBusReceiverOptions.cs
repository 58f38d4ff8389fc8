namespace Azure.Messaging.ServiceBus;

public class ServiceBusReceiverOptions
{
    private int _prefetchCount;

    /// <summary>Messages that the broker may hand out before they are asked for. Their locks tick while they wait. Default 0.</summary>
    public int PrefetchCount
    {
        get => _prefetchCount;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value, nameof(PrefetchCount));
            _prefetchCount = value;
        }
    }

    public ServiceBusReceiveMode ReceiveMode { get; set; } = ServiceBusReceiveMode.PeekLock;

    public SubQueue SubQueue { get; set; } = SubQueue.None;

    public string? Identifier { get; set; }
}
