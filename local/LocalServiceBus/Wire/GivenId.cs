using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Ids of messages whose senders gave none. They are counted: to draw each one costs a system call.</summary>
internal static class GivenId
{
    private const int Length = 32;

    // Drawn, so that ids from before and after a restart do not meet.
    private static readonly ulong Run = BinaryPrimitives.ReadUInt64LittleEndian(Guid.NewGuid().ToByteArray());

    private static readonly byte[] Section = AmqpWriter.Encode(
        new MessageProperties { MessageId = new string('0', Length) }.Encode
    );
    private static readonly int Place = Section.AsSpan().IndexOf(Encoding.ASCII.GetBytes(new string('0', Length)));
    private static ulong _last;

    /// <summary>Bytes that <see cref="WriteSection"/> writes.</summary>
    public static int SectionSize => Section.Length;

    public static string Next()
    {
        Span<byte> id = stackalloc byte[Length];
        Format(id);
        return Encoding.ASCII.GetString(id);
    }

    /// <summary>Writes a section of properties that has an id and nothing else.</summary>
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
