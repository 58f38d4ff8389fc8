using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>IDs for messages without one. They're sequential, because a random ID costs a system call.</summary>
internal static class GeneratedMessageId
{
    private const int Length = 32;

    // Random, so that IDs differ between restarts.
    private static readonly ulong Run = BinaryPrimitives.ReadUInt64LittleEndian(Guid.NewGuid().ToByteArray());

    private static readonly byte[] Section = AmqpWriter.Encode(
        new MessageProperties { MessageId = new string('0', Length) }.Encode
    );
    private static readonly int Place = Section.AsSpan().IndexOf(Encoding.ASCII.GetBytes(new string('0', Length)));
    private static ulong _last;

    public static int SectionSize => Section.Length;

    public static string Next()
    {
        Span<byte> id = stackalloc byte[Length];
        Format(id);
        return Encoding.ASCII.GetString(id);
    }

    /// <summary>Writes a properties section that contains only an ID.</summary>
    public static void WriteSection(Span<byte> place)
    {
        Section.CopyTo(place);
        Format(place[Place..]);
    }

    private static void Format(Span<byte> id)
    {
        Run.TryFormat(id, out _, "x16", CultureInfo.InvariantCulture);
        Interlocked.Increment(ref _last).TryFormat(id[(Length / 2)..], out _, "x16", CultureInfo.InvariantCulture);
    }
}
