using System.Buffers.Binary;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>A receiver's hold on a message from one delivery until <see cref="Until"/>. Every delivery makes a new one, so that a
/// settlement that comes after the message was handed out again is recognized as late. It does not refer to the message: a receiver
/// that never settles keeps locks, and no message.</summary>
internal sealed class MessageLock(Guid token, DateTimeOffset until)
{
    private bool _isBeingAnswered;

    public Guid Token { get; } = token;
    public long SequenceNumber => SequenceNumberOf(Token);
    public DateTimeOffset Until { get; set; } = until;

    /// <summary>Nobody will settle with it any more: it has ended, or the message was settled.</summary>
    public bool IsOver
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <summary>For the receiver's side, which answers each delivery once, outside of transactions.</summary>
    /// <returns>False: somebody has begun to already.</returns>
    public bool TryBeginAnswer() => !Interlocked.Exchange(ref _isBeingAnswered, true);

    /// <summary>The answer was not the last one: the delivery is a step of a transaction, which may be rolled back.</summary>
    public void EndAnswer() => Volatile.Write(ref _isBeingAnswered, false);

    /// <summary>The token carries the sequence number, which finds the lock without a table; the nonce makes it unique.</summary>
    public static Guid TokenFor(long sequenceNumber, long nonce)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, sequenceNumber);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[8..], nonce);
        return new Guid(bytes);
    }

    public static long SequenceNumberOf(Guid token)
    {
        Span<byte> bytes = stackalloc byte[16];
        token.TryWriteBytes(bytes);
        return BinaryPrimitives.ReadInt64LittleEndian(bytes);
    }
}
