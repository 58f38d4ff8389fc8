namespace Azure.Messaging.ServiceBus;

/// <summary>Messages that go in one transfer; <see cref="TryAddMessage"/> says when the next one does not fit.</summary>
public sealed class ServiceBusMessageBatch : IDisposable
{
    internal ServiceBusMessageBatch(long maxSizeInBytes) => MaxSizeInBytes = maxSizeInBytes;

    public long MaxSizeInBytes { get; }

    public long SizeInBytes { get; private set; }

    public int Count { get; private set; }

    /// <returns>False when the batch would become larger than <see cref="MaxSizeInBytes"/>; it is then unchanged.</returns>
    public bool TryAddMessage(ServiceBusMessage message) => throw new NotImplementedException();

    public void Dispose()
    {
    }
}
