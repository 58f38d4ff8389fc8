namespace Azure.Messaging.ServiceBus;

/// <summary>Messages that go in one transfer; <see cref="TryAddMessage"/> says when the next one does not fit.</summary>
public sealed class ServiceBusMessageBatch : IDisposable
{
    private readonly List<byte[]> _encoded = [];
    private readonly List<ServiceBusMessage> _messages = [];
    private readonly BusDiagnostics _diagnostics;
    private readonly TimeProvider _time;

    internal ServiceBusMessageBatch(long maxSizeInBytes, BusDiagnostics diagnostics, TimeProvider time)
    {
        MaxSizeInBytes = maxSizeInBytes;
        _diagnostics = diagnostics;
        _time = time;
    }

    public long MaxSizeInBytes { get; }

    /// <summary>The size of the transfer so far.</summary>
    public long SizeInBytes { get; private set; }

    public int Count => _messages.Count;

    internal IReadOnlyList<ServiceBusMessage> Messages => _messages;

    /// <returns>False when the batch would become larger than <see cref="MaxSizeInBytes"/>; it is then unchanged.</returns>
    public bool TryAddMessage(ServiceBusMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        _diagnostics.Instrument(message);
        var bytes = MessageConversion.ToAmqp(message, _time).ToArray();
        var before = Count == 0 ? MessageBatchEnvelope.SizeOf(message) : SizeInBytes;
        var size = before + MessageBatchEnvelope.SectionOverhead(bytes.Length) + bytes.Length;
        if (size > MaxSizeInBytes)
            return false;
        SizeInBytes = size;
        _encoded.Add(bytes);
        _messages.Add(message);
        return true;
    }

    /// <summary>Empties the batch.</summary>
    public void Dispose()
    {
        _encoded.Clear();
        _messages.Clear();
        SizeInBytes = 0;
    }

    internal (byte[] Bytes, uint Format) ToTransfer() => MessageBatchEnvelope.Of(_encoded, _messages[0]);
}
