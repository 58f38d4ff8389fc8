using System.Diagnostics;

namespace DroneDelivery.Amqp;

/// <summary>What one peer may make this end keep for it, all sessions together.</summary>
/// <param name="options">the limits</param>
/// <param name="gate">the connection's lock</param>
/// <param name="onRoom">called under the lock, when something that was full no longer is</param>
internal sealed class Allowance(AmqpConnectionOptions options, Lock gate, Action onRoom)
{
    // An attach has some hundred bytes; the whole of it is kept with its link.
    private const int AttachBytesPerLink = 1024;

    private int _links;
    private long _attachBytes;
    private long _partialBytes;

    /// <summary>Deliveries that the peer has not settled.</summary>
    public Level Unsettled { get; } = new(options.MaxUnsettled, gate, onRoom);

    /// <summary>Bytes of messages that were begun and wait for the window of their session.</summary>
    public Level Blocked { get; } = new(options.MaxPartialBytes, gate, onRoom);

    /// <summary>Counts a link that the peer attaches.</summary>
    public bool TryAddLink(int attachBytes)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        var mostAttachBytes = (long)options.MaxLinks * AttachBytesPerLink + options.MaxFrameSize;
        if (_links >= options.MaxLinks || _attachBytes + attachBytes > mostAttachBytes)
            return false;
        _links++;
        _attachBytes += attachBytes;
        return true;
    }

    public void RemoveLink(int attachBytes)
    {
        Debug.Assert(gate.IsHeldByCurrentThread);
        _links--;
        _attachBytes -= attachBytes;
    }

    /// <summary>Read loop: counts bytes of a message that is not complete. A message alone may be as large as its link allows.</summary>
    /// <param name="bytes">that came</param>
    /// <param name="before">what was counted for the same message</param>
    public bool TryAddPart(int bytes, long before)
    {
        if (_partialBytes + bytes > options.MaxPartialBytes && _partialBytes > before)
            return false;
        _partialBytes += bytes;
        return true;
    }

    /// <summary>Read loop.</summary>
    public void RemoveParts(long bytes) => _partialBytes -= bytes;
}
