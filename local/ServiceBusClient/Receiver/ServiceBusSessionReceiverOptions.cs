namespace Azure.Messaging.ServiceBus;

public class ServiceBusSessionReceiverOptions
{
    private int _prefetchCount;

    /// <summary>Messages that the broker may hand out before they are asked for. Default 0.</summary>
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

    public string? Identifier { get; set; }

    internal ServiceBusReceiverOptions ToReceiverOptions() => new()
    {
        PrefetchCount = PrefetchCount,
        ReceiveMode = ReceiveMode,
        Identifier = Identifier,
    };
}
