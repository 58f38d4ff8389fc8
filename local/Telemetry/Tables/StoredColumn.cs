namespace DroneDelivery.Telemetry.Tables;

/// <summary>A column of a chunk as it lies in memory, immutable.</summary>
internal abstract class StoredColumn
{
    public abstract long SizeInBytes { get; }

    public abstract Column Read();
}

internal sealed class StoredValues<T>(Values<T> values, long sizeInBytes) : StoredColumn
{
    public override long SizeInBytes => sizeInBytes;

    public override Column Read() => values;
}

/// <summary>A text or dynamic column: one code per row, as wide as the number of distinct texts needs;
/// a single code stands for all rows.</summary>
internal sealed class StoredText(ColumnType type, TextPool pool, byte[]? narrow, ushort[]? wide, int length)
    : StoredColumn
{
    public override long SizeInBytes =>
        pool.SizeInBytes + (narrow?.Length ?? 0) + ((wide?.Length ?? 0) * (long)sizeof(ushort));

    public override Column Read()
    {
        var codes = new int[length];
        if (narrow is [var only])
        {
            Array.Fill(codes, only);
        }
        else if (narrow is not null)
        {
            for (var i = 0; i < codes.Length; i++)
                codes[i] = narrow[i];
        }
        else if (wide is not null)
        {
            for (var i = 0; i < codes.Length; i++)
                codes[i] = wide[i];
        }
        return new Coded(new PooledText(type, pool), codes, length);
    }
}
