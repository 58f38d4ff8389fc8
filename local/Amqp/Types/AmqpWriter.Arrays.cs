using System.Buffers.Binary;
using System.Text;

namespace DroneDelivery.Amqp;

// Arrays: one constructor for all items, then the items without theirs (AMQP 1.0 §1.6.24).
public sealed partial class AmqpWriter
{
    private void WriteArray(object array)
    {
        var start = BeginCompound();
        WriteItems(array);
        EndCompound(start, ItemCount(array), FormatCode.Array8);
    }

    // A byte[] is binary; the type test by pattern would take sbyte[] for one.
    private static bool IsArray(object? value) => value is UByteArray || (value is Array && value.GetType() != typeof(byte[]));

    private static int ItemCount(object array) => array is UByteArray bytes ? bytes.Items.Length : ((Array)array).Length;

    private void WriteItems(object array)
    {
        switch (array)
        {
            case UByteArray v:
                Put(FormatCode.UByte);
                WriteRaw(v.Items);
                break;
            // Here and in some cases below the pattern would also match the array of the other sign, hence the exact type.
            case sbyte[] v when v.GetType() == typeof(sbyte[]): Items(FormatCode.Byte, v, static (w, x) => w.Put((byte)x)); break;
            case bool[] v: Items(FormatCode.Boolean, v, static (w, x) => w.Put(x ? (byte)1 : (byte)0)); break;
            case ushort[] v when v.GetType() == typeof(ushort[]): Items(FormatCode.UShort, v, static (w, x) => w.PutUInt16(x)); break;
            case short[] v: Items(FormatCode.Short, v, static (w, x) => w.PutUInt16((ushort)x)); break;
            case uint[] v when v.GetType() == typeof(uint[]): Items(FormatCode.UInt, v, static (w, x) => w.PutUInt32(x)); break;
            case int[] v: Items(FormatCode.Int, v, static (w, x) => w.PutUInt32((uint)x)); break;
            case ulong[] v when v.GetType() == typeof(ulong[]): Items(FormatCode.ULong, v, static (w, x) => w.PutUInt64(x)); break;
            case long[] v: Items(FormatCode.Long, v, static (w, x) => w.PutUInt64((ulong)x)); break;
            case float[] v: Items(FormatCode.Float, v, static (w, x) => w.PutUInt32(BitConverter.SingleToUInt32Bits(x))); break;
            case double[] v: Items(FormatCode.Double, v, static (w, x) => w.PutUInt64(BitConverter.DoubleToUInt64Bits(x))); break;
            case Decimal32[] v: Items(FormatCode.Decimal32, v, static (w, x) => w.PutUInt32(x.Bits)); break;
            case Decimal64[] v: Items(FormatCode.Decimal64, v, static (w, x) => w.PutUInt64(x.Bits)); break;
            case Decimal128[] v: Items(FormatCode.Decimal128, v, static (w, x) => w.PutUInt128(x.Bits)); break;
            case Rune[] v: Items(FormatCode.Char, v, static (w, x) => w.PutUInt32((uint)x.Value)); break;
            case DateTimeOffset[] v:
                Items(FormatCode.Timestamp, v, static (w, x) => w.PutUInt64((ulong)x.ToUnixTimeMilliseconds()));
                break;
            case Guid[] v: Items(FormatCode.Uuid, v, static (w, x) => w.PutUuid(x)); break;
            default: WriteVariableItems(array); break;
        }
    }

    private void WriteVariableItems(object array)
    {
        switch (array)
        {
            case string[] v: WriteTexts(FormatCode.String8, Array.ConvertAll(v, Encoding.UTF8.GetBytes)); break;
            case Symbol[] v: WriteTexts(FormatCode.Symbol8, Array.ConvertAll(v, static x => Encoding.ASCII.GetBytes(x.Value))); break;
            case byte[][] v: WriteTexts(FormatCode.Binary8, v); break;
            case List<object?>[] v:
                Items(FormatCode.List32, v, static (w, x) => w.WriteWide(x, x.Count, static (w, x) => w.WriteItems(x)));
                break;
            case Dictionary<object, object?>[] v:
                Items(FormatCode.Map32, v, static (w, x) => w.WriteWide(x, 2 * x.Count, static (w, x) => w.WriteEntries(x)));
                break;
            case DescribedValue[] v: WriteDescribedItems(v); break;
            case object?[] v when Array.TrueForAll(v, static x => x is null): Put(FormatCode.Null); break;
            case object?[] v when Array.TrueForAll(v, IsArray):
                Items(FormatCode.Array32, v, static (w, x) => w.WriteWide(x!, ItemCount(x!), static (w, x) => w.WriteItems(x)));
                break;
            default: throw new ArgumentException($"No AMQP array holds the items of {array.GetType()}.", nameof(array));
        }
    }

    private void Items<T>(byte code, T[] items, Action<AmqpWriter, T> write)
    {
        Put(code);
        foreach (var item in items)
            write(this, item);
    }

    private void WriteTexts(byte narrowCode, byte[][] items)
    {
        var narrow = Array.TrueForAll(items, static x => x.Length <= byte.MaxValue);
        Put(narrow ? narrowCode : (byte)(narrowCode + 0x10));
        foreach (var item in items)
        {
            if (narrow)
                Put((byte)item.Length);
            else
                PutUInt32((uint)item.Length);
            WriteRaw(item);
        }
    }

    // The items share one constructor, so even small ones take the wide form.
    private void WriteWide<T>(T item, int count, Action<AmqpWriter, T> writeContent)
    {
        var start = Length;
        Reserve(8);
        writeContent(this, item);
        var head = Written(start, 8);
        BinaryPrimitives.WriteInt32BigEndian(head, Length - start - 4);
        BinaryPrimitives.WriteInt32BigEndian(head[4..], count);
    }

    private void WriteDescribedItems(DescribedValue[] items)
    {
        if (items.Length == 0)
        {
            Put(FormatCode.Null);
            return;
        }
        var descriptor = items[0].Descriptor;
        if (!Array.TrueForAll(items, x => x.Descriptor.Equals(descriptor)))
            throw new ArgumentException("The items of an array share one descriptor.", nameof(items));
        Put(FormatCode.Described);
        WriteValue(descriptor);
        WriteItems(SameTyped(Array.ConvertAll(items, static x => x.Value)));
    }

    private static object SameTyped(object?[] values)
    {
        if (Array.TrueForAll(values, static x => x is null) || IsArray(values[0]))
            return values;
        var type = values[0]?.GetType() ?? throw new ArgumentException("The items of an array share one type.", nameof(values));
        if (!Array.TrueForAll(values, x => x?.GetType() == type))
            throw new ArgumentException("The items of an array share one type.", nameof(values));
        if (type == typeof(byte))
            return new UByteArray(Array.ConvertAll(values, static x => (byte)x!));
        var typed = Array.CreateInstance(type, values.Length);
        Array.Copy(values, typed, values.Length);
        return typed;
    }
}
