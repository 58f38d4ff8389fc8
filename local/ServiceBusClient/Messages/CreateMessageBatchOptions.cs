namespace Azure.Messaging.ServiceBus;

public class CreateMessageBatchOptions
{
    private long? _maxSizeInBytes;

    /// <summary>Highest size of the batch; default and upper limit: what the broker accepts.</summary>
    public long? MaxSizeInBytes
    {
        get => _maxSizeInBytes;
        set
        {
            if (value is { } size)
                ArgumentOutOfRangeException.ThrowIfLessThan(size, 24, nameof(MaxSizeInBytes));
            _maxSizeInBytes = value;
        }
    }
}
