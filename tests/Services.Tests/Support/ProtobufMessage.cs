using System.Buffers.Binary;
using System.Text;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>A protobuf message without its schema: fields by number.</summary>
internal sealed class ProtobufMessage
{
    private readonly List<(int Number, ulong Value, ReadOnlyMemory<byte> Bytes)> _fields = [];

    public ProtobufMessage(ReadOnlyMemory<byte> message)
    {
        for (var at = 0; at < message.Length;)
        {
            var tag = Varint(message.Span, ref at);
            var (number, type) = ((int)(tag >> 3), tag & 7);
            switch (type)
            {
                case 0:
                    _fields.Add((number, Varint(message.Span, ref at), default));
                    break;
                case 1:
                    _fields.Add((number, BinaryPrimitives.ReadUInt64LittleEndian(message.Span[at..]), default));
                    at += 8;
                    break;
                case 2:
                    var length = (int)Varint(message.Span, ref at);
                    _fields.Add((number, 0, message.Slice(at, length)));
                    at += length;
                    break;
                case 5:
                    _fields.Add((number, BinaryPrimitives.ReadUInt32LittleEndian(message.Span[at..]), default));
                    at += 4;
                    break;
                default:
                    throw new FormatException($"Field {number} has the unknown wire type {type}.");
            }
        }
    }

    public bool Has(int number) => _fields.Exists(field => field.Number == number);

    public ulong Number(int number) => _fields.Find(field => field.Number == number).Value;

    public double Double(int number) => BitConverter.UInt64BitsToDouble(Number(number));

    public ReadOnlyMemory<byte> Bytes(int number) => _fields.Find(field => field.Number == number).Bytes;

    public string Text(int number) => Encoding.UTF8.GetString(Bytes(number).Span);

    public string Hex(int number) => Convert.ToHexStringLower(Bytes(number).Span);

    public ProtobufMessage Message(int number) => new(Bytes(number));

    public IEnumerable<ProtobufMessage> Messages(int number) =>
        _fields.Where(field => field.Number == number).Select(field => new ProtobufMessage(field.Bytes));

    private static ulong Varint(ReadOnlySpan<byte> bytes, ref int at)
    {
        ulong value = 0;
        for (var shift = 0; ; shift += 7)
        {
            var part = bytes[at++];
            value |= (ulong)(part & 0x7F) << shift;
            if (part < 0x80)
                return value;
        }
    }
}
