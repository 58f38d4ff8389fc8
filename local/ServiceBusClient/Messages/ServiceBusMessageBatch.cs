namespace Azure.Messaging.ServiceBus;

/// <summary>Messages that go in one transfer; <see cref="TryAddMessage"/> says when the next one does not fit.</summary>
public sealed class ServiceBusMessageBatch : IDisposable
{
    private readonly List<byte[]> _encoded = [];
    private readonly List<ServiceBusMessage> _messages = [];
    private readonly BusDiagnostics _diagnostics;
    private readonly TimeProvider _time;
    private readonly IList<ServiceBusMessage>? _store;
    private readonly Func<ServiceBusMessage, bool> _mayAdd = _ => true;

    /// <summary>For tests of those who fill a batch: its size stays as it is.</summary>
    /// <param name="sizeInBytes">See <see cref="SizeInBytes"/>.</param>
    /// <param name="maxSizeInBytes">See <see cref="MaxSizeInBytes"/>.</param>
    /// <param name="store">Gets the messages.</param>
    /// <param name="mayAdd">Decides which messages fit; null: all.</param>
    internal ServiceBusMessageBatch(
        long sizeInBytes, long maxSizeInBytes, IList<ServiceBusMessage> store, Func<ServiceBusMessage, bool>? mayAdd)
        : this(maxSizeInBytes, new BusDiagnostics("", ""), TimeProvider.System)
    {
        SizeInBytes = sizeInBytes;
        _store = store;
        _mayAdd = mayAdd ?? _mayAdd;
    }

    internal ServiceBusMessageBatch(long maxSizeInBytes, BusDiagnostics diagnostics, TimeProvider time)
    {
        MaxSizeInBytes = maxSizeInBytes;
        _diagnostics = diagnostics;
        _time = time;
    }

    public long MaxSizeInBytes { get; }

    /// <summary>The size of the transfer so far.</summary>
    public long SizeInBytes { get; private set; }

    public int Count => _store?.Count ?? _messages.Count;

    internal IReadOnlyList<ServiceBusMessage> Messages => _messages;

    /// <returns>False when the batch would become larger than <see cref="MaxSizeInBytes"/>; it is then unchanged.</returns>
    public bool TryAddMessage(ServiceBusMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        return _store is null ? TryEncode(message) : TryStore(_store, message);
    }

    /// <summary>Empties the batch.</summary>
    public void Dispose()
    {
        _encoded.Clear();
        _messages.Clear();
        _store?.Clear();
        SizeInBytes = 0;
    }

    internal (byte[] Bytes, uint Format) ToTransfer() => MessageBatchEnvelope.Of(_encoded, _messages[0]);

    private bool TryStore(IList<ServiceBusMessage> store, ServiceBusMessage message)
    {
        if (!_mayAdd(message))
            return false;
        store.Add(message);
        return true;
    }

    private bool TryEncode(ServiceBusMessage message)
    {
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
}
