namespace Azure.Messaging.ServiceBus;

public class CreateMessageBatchOptions
{
    private long? maxSizeInBytes;

    /// <summary>Highest size of the batch; default and upper limit: what the broker accepts.</summary>
    public long? MaxSizeInBytes
    {
        get => maxSizeInBytes;
        set
        {
            if (value is { } size)
                ArgumentOutOfRangeException.ThrowIfLessThan(size, 24, nameof(MaxSizeInBytes));
            maxSizeInBytes = value;
        }
    }
}
