using System.Buffers.Binary;
using System.Text;

namespace DroneDelivery.Amqp;

public sealed partial class AmqpWriter
{
    /// <summary>Writes a value of a .NET type that corresponds to an AMQP type.</summary>
    /// <exception cref="ArgumentException">The type has no corresponding AMQP type.</exception>
    public void WriteValue(object? value)
    {
        switch (value)
        {
            case null:
                WriteNull();
                break;
            case string v:
                WriteString(v);
                break;
            case Symbol v:
                WriteSymbol(v);
                break;
            case bool v:
                WriteBoolean(v);
                break;
            case int v:
                WriteInt(v);
                break;
            case long v:
                WriteLong(v);
                break;
            case uint v:
                WriteUInt(v);
                break;
            case ulong v:
                WriteULong(v);
                break;
            case byte v:
                WriteUByte(v);
                break;
            case sbyte v:
                Put(FormatCode.Byte, (byte)v);
                break;
            case short v:
                PutUInt16(FormatCode.Short, (ushort)v);
                break;
            case ushort v:
                WriteUShort(v);
                break;
            case float v:
                PutUInt32(FormatCode.Float, BitConverter.SingleToUInt32Bits(v));
                break;
            case double v:
                PutUInt64(FormatCode.Double, BitConverter.DoubleToUInt64Bits(v));
                break;
            case DateTimeOffset v:
                WriteTimestamp(v);
                break;
            case Guid v:
                WriteUuid(v);
                break;
            // A type pattern would also match sbyte[].
            case byte[] v when v.GetType() == typeof(byte[]):
                WriteBinary(v);
                break;
            case Rune v:
                PutUInt32(FormatCode.Char, (uint)v.Value);
                break;
            case Decimal32 v:
                PutUInt32(FormatCode.Decimal32, v.Bits);
                break;
            case Decimal64 v:
                PutUInt64(FormatCode.Decimal64, v.Bits);
                break;
            case Decimal128 v:
                Put(FormatCode.Decimal128);
                BinaryPrimitives.WriteUInt128BigEndian(Reserve(16), v.Bits);
                break;
            default:
                WriteCompound(value);
                break;
        }
    }

    private void WriteCompound(object value)
    {
        switch (value)
        {
            case List<object?> v:
                WriteList(v);
                break;
            case Dictionary<object, object?> v:
                WriteMap(v);
                break;
            case Dictionary<Symbol, object?> v:
                WriteMap(v);
                break;
            case Dictionary<string, object?> v:
                WriteMap(v);
                break;
            case DescribedValue v:
                Put(FormatCode.Described);
                WriteValue(v.Descriptor);
                WriteValue(v.Value);
                break;
            case Array v:
                WriteArray(v);
                break;
            default:
                throw new ArgumentException($"{value.GetType()} has no corresponding AMQP type.", nameof(value));
        }
    }

    private void WriteList(List<object?> list)
    {
        var start = BeginList();
        foreach (var item in list)
            WriteValue(item);
        EndList(start, list.Count);
    }

    internal void WriteMap<TKey>(Dictionary<TKey, object?> map)
        where TKey : notnull
    {
        var start = BeginMap();
        foreach (var (key, value) in map)
        {
            WriteValue(key);
            WriteValue(value);
        }
        EndMap(start, 2 * map.Count);
    }
}
