using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>Ids for messages that were sent without one. They are counted, because a random id costs a system call.</summary>
internal static class GeneratedMessageId
{
    private const int Length = 32;

    // Random, so that ids from before and after a restart differ.
    private static readonly ulong Run = BinaryPrimitives.ReadUInt64LittleEndian(Guid.NewGuid().ToByteArray());

    private static readonly byte[] Section = AmqpWriter.Encode(
        new MessageProperties { MessageId = new string('0', Length) }.Encode
    );
    private static readonly int Place = Section.AsSpan().IndexOf(Encoding.ASCII.GetBytes(new string('0', Length)));
    private static ulong _last;

    /// <summary>The size of <see cref="WriteSection"/>, in bytes.</summary>
    public static int SectionSize => Section.Length;

    public static string Next()
    {
        Span<byte> id = stackalloc byte[Length];
        Format(id);
        return Encoding.ASCII.GetString(id);
    }

    /// <summary>Writes a properties section with an id only.</summary>
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
