using System.Buffers.Binary;
using System.Text;

namespace DroneDelivery.ServiceDefaults.Emulation.Gate;

/// <summary>
/// How a replica asks the lab for CPU time, over a Unix domain socket. Numbers are little-endian.
/// <list type="number">
/// <item>Replica, once: one byte <see cref="Version"/>, four bytes with the cost of a hold in microseconds, its name.</item>
/// <item>Lab, once: why the replica is refused; empty means welcome.</item>
/// <item>Replica, for each hold: four bytes, an id of its choice. Lab, when the hold is over: the same four bytes.</item>
/// </list>
/// A text is one byte with its length and so many bytes of UTF-8. The lab's side is compiled from the same files.
/// </summary>
internal static class GateProtocol
{
    public const byte Version = 1;
    public const int IdSize = 4;
    private const int LongestText = byte.MaxValue;

    public static byte[] Hello(string replica, TimeSpan cost)
    {
        var name = Text(replica);
        var hello = new byte[1 + sizeof(int) + name.Length];
        hello[0] = Version;
        BinaryPrimitives.WriteInt32LittleEndian(hello.AsSpan(1), checked((int)cost.TotalMicroseconds));
        name.CopyTo(hello, 1 + sizeof(int));
        return hello;
    }

    /// <exception cref="InvalidDataException">The peer speaks something else.</exception>
    /// <exception cref="EndOfStreamException">The peer closed.</exception>
    public static async Task<(string Replica, TimeSpan Cost)> ReadHelloAsync(Stream stream, CancellationToken cancellationToken)
    {
        var start = new byte[1 + sizeof(int)];
        await stream.ReadExactlyAsync(start, cancellationToken);
        var cost = TimeSpan.FromMicroseconds(BinaryPrimitives.ReadInt32LittleEndian(start.AsSpan(1)));
        if (start[0] != Version || cost <= TimeSpan.Zero)
            throw new InvalidDataException($"A replica speaks version {start[0]} of the gate's protocol and asks for {cost}; expected version {Version} and a positive time.");
        return (await ReadTextAsync(stream, cancellationToken), cost);
    }

    public static byte[] Text(string text)
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        var length = Math.Min(bytes.Length, LongestText);
        return [(byte)length, .. bytes.AsSpan(0, length)];
    }

    public static async Task<string> ReadTextAsync(Stream stream, CancellationToken cancellationToken)
    {
        var length = new byte[1];
        await stream.ReadExactlyAsync(length, cancellationToken);
        var text = new byte[length[0]];
        await stream.ReadExactlyAsync(text, cancellationToken);
        return Encoding.UTF8.GetString(text);
    }
}
