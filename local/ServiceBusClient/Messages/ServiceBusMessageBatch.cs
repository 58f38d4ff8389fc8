namespace Azure.Messaging.ServiceBus;

/// <summary>Messages that go in one transfer; <see cref="TryAddMessage"/> says when the next one does not fit.</summary>
public sealed class ServiceBusMessageBatch : IDisposable
{
    private readonly List<byte[]> encoded = [];
    private readonly List<ServiceBusMessage> messages = [];
    private readonly BusDiagnostics diagnostics;
    private readonly TimeProvider time;

    internal ServiceBusMessageBatch(long maxSizeInBytes, BusDiagnostics diagnostics, TimeProvider time)
    {
        MaxSizeInBytes = maxSizeInBytes;
        this.diagnostics = diagnostics;
        this.time = time;
    }

    public long MaxSizeInBytes { get; }

    /// <summary>The size of the transfer so far.</summary>
    public long SizeInBytes { get; private set; }

    public int Count => messages.Count;

    internal IReadOnlyList<ServiceBusMessage> Messages => messages;

    /// <returns>False when the batch would become larger than <see cref="MaxSizeInBytes"/>; it is then unchanged.</returns>
    public bool TryAddMessage(ServiceBusMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        diagnostics.Instrument(message);
        var bytes = MessageConversion.ToAmqp(message, time).ToArray();
        var before = Count == 0 ? MessageBatchEnvelope.SizeOf(message) : SizeInBytes;
        var size = before + MessageBatchEnvelope.SectionOverhead(bytes.Length) + bytes.Length;
        if (size > MaxSizeInBytes)
            return false;
        SizeInBytes = size;
        encoded.Add(bytes);
        messages.Add(message);
        return true;
    }

    /// <summary>Empties the batch.</summary>
    public void Dispose()
    {
        encoded.Clear();
        messages.Clear();
        SizeInBytes = 0;
    }

    internal (byte[] Bytes, uint Format) ToTransfer() => MessageBatchEnvelope.Of(encoded, messages[0]);
}
