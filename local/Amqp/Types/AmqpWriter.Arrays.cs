using System.Text;

namespace DroneDelivery.Amqp;

// Arrays: one constructor for all items (AMQP 1.0 §1.6.24). Supports the types that requests and replies use.
public sealed partial class AmqpWriter
{
    private void WriteArray(Array array)
    {
        var start = BeginCompound();
        switch (array)
        {
            case long[] v when v.GetType() == typeof(long[]): // A type pattern would also match ulong[].
                WriteItems(FormatCode.Long, v, static (w, x) => w.PutUInt64((ulong)x));
                break;
            case DateTimeOffset[] v:
                WriteItems(FormatCode.Timestamp, v, static (w, x) => w.PutUInt64((ulong)x.ToUnixTimeMilliseconds()));
                break;
            case Guid[] v:
                WriteItems(FormatCode.Uuid, v, static (w, x) => w.PutUuid(x));
                break;
            case string[] v:
                WriteTexts(FormatCode.String8, Array.ConvertAll(v, Encoding.UTF8.GetBytes));
                break;
            case Symbol[] v:
                WriteTexts(FormatCode.Symbol8, Array.ConvertAll(v, static x => Encoding.ASCII.GetBytes(x.Value)));
                break;
            default:
                throw new ArgumentException($"Arrays of type {array.GetType()} are not supported.", nameof(array));
        }
        EndCompound(start, array.Length, FormatCode.Array8);
    }

    private void WriteItems<T>(byte code, T[] items, Action<AmqpWriter, T> write)
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
}
