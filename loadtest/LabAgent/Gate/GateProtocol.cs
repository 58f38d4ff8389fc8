using System.Buffers.Binary;
using System.Text;

namespace DroneDelivery.LabAgent.Gate;

/// <summary>
/// How a replica asks the lab for CPU time, over a Unix domain socket. Numbers are little-endian.
/// <list type="number">
/// <item>Replica, once: one byte <see cref="Version"/>, four bytes with the cost of a hold in microseconds, its name.</item>
/// <item>Lab, once: why the replica is refused; empty means welcome.</item>
/// <item>Replica, for each hold: four bytes, an id of its choice. Lab, when the hold is over: the same four bytes.</item>
/// </list>
/// A text is one byte with its length and so many bytes of UTF-8. The lab's side is compiled from the same files.
/// </summary>
/// <remarks>
/// Both ends read with a thread of their own and never asynchronously: a switch of threads is what a hold costs, and .NET's
/// asynchronous sockets take two more of them.
/// </remarks>
internal static class GateProtocol
{
    public const byte Version = 1;
    public const int IdSize = 4;
    private const int StartSize = 1 + sizeof(int), LongestText = byte.MaxValue;

    public static byte[] Hello(string replica, TimeSpan cost)
    {
        var start = new byte[StartSize];
        start[0] = Version;
        BinaryPrimitives.WriteInt32LittleEndian(start.AsSpan(1), checked((int)cost.TotalMicroseconds));
        return [.. start, .. Text(replica)];
    }

    public static byte[] Text(string text)
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        var length = Math.Min(bytes.Length, LongestText);
        return [(byte)length, .. bytes.AsSpan(0, length)];
    }

    /// <returns>Null: more bytes have to come.</returns>
    /// <exception cref="InvalidDataException">The peer speaks something else.</exception>
    public static (string Replica, TimeSpan Cost)? TakeHello(ReceivedBytes received)
    {
        var bytes = received.Unread;
        if (bytes.Length < StartSize)
            return null;
        var cost = TimeSpan.FromMicroseconds(BinaryPrimitives.ReadInt32LittleEndian(bytes[1..]));
        if (bytes[0] != Version || cost <= TimeSpan.Zero)
        {
            throw new InvalidDataException(
                $"Version {bytes[0]} of the gate's protocol, a hold of {cost}; expected version {Version} and a positive time.");
        }
        return TakeText(received, StartSize) is { } replica ? (replica, cost) : null;
    }

    /// <param name="received">From here.</param>
    /// <param name="skip">Bytes before the text, which are taken with it.</param>
    /// <returns>Null: more bytes have to come.</returns>
    public static string? TakeText(ReceivedBytes received, int skip = 0)
    {
        var bytes = received.Unread[skip..];
        if (bytes.IsEmpty || bytes.Length < 1 + bytes[0])
            return null;
        var text = Encoding.UTF8.GetString(bytes.Slice(1, bytes[0]));
        received.Drop(skip + 1 + bytes[0]);
        return text;
    }

    public static bool TryTakeId(ReceivedBytes received, out int id)
    {
        var isThere = BinaryPrimitives.TryReadInt32LittleEndian(received.Unread, out id);
        if (isThere)
            received.Drop(IdSize);
        return isThere;
    }
}
