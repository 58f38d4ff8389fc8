using System.Runtime.CompilerServices;

namespace DroneDelivery.Telemetry.Tables;

/// <summary>An immutable column. Row i has value i or, with <see cref="Codes"/>, the distinct value <c>Codes[i]</c>, so
/// that expressions over one such column are computed once per distinct value.</summary>
public abstract class Column(ColumnType type, int length, int[]? codes)
{
    public ColumnType Type { get; } = type;

    public int Length { get; } = length;

    /// <summary>The distinct value of each row; <c>null</c> if each row has its own. Can be longer than <see
    /// cref="Length"/>.</summary>
    public int[]? Codes { get; } = codes;

    public abstract Column Distinct { get; }

    /// <summary><c>true</c> if one value applies to all rows.</summary>
    public abstract bool IsConstant { get; }

    public abstract long SizeInBytes { get; }

    public abstract Column Take(int[] rows);

    public abstract Column WithCodes(int[] codes, int length);

    public abstract Column Concat(ColumnType type, IReadOnlyList<Column> parts);

    /// <summary>Returns 2 for null, 1 for NaN, and 0 for other values.</summary>
    public abstract int Missing(int row);

    public abstract int Compare(int a, int b);

    public abstract bool IsNull(int row);

    public abstract Column Repeat(int length);

    /// <summary>Returns a value as bool, long (also ticks), double, string, <see cref="Dynamic"/>, or <c>null</c>.</summary>
    public abstract object? Value(int row);

    /// <summary>Returns a typed reader. T must match <see cref="Type"/>: bool, long, double, string, or <see
    /// cref="Dynamic"/>.</summary>
    public Reader<T> As<T>() => ((Values<T>)this).Reader;
}

/// <param name="mask">A bit mask for the row number: 0 for a constant, −1 for other columns.</param>
public readonly struct Reader<T>(T[] items, bool[]? nulls, int[]? codes, int mask)
{
    public bool HasNulls => nulls is not null;

    public T this[int row] => items[codes is null ? row & mask : codes[row]];

    public bool IsNull(int row) => nulls is not null && nulls[codes is null ? row & mask : codes[row]];
}

/// <param name="constant"><c>true</c> if the only item applies to all rows.</param>
public sealed class Values<T>(
    ColumnType type,
    T[] items,
    bool[]? nulls,
    int length,
    int[]? codes = null,
    bool constant = false,
    int? count = null
) : Column(type, length, codes)
{
    private static readonly IComparer<T> Order = StringComparer.Ordinal as IComparer<T> ?? Comparer<T>.Default;

    private readonly int[]? _codes = codes;

    public Reader<T> Reader { get; } = new(items, nulls, codes, constant ? 0 : -1);

    public override Column Distinct => new Values<T>(Type, items, nulls, count ?? items.Length);

    public override bool IsConstant => constant;

    public override long SizeInBytes =>
        ((long)items.Length * Unsafe.SizeOf<T>()) + (nulls?.Length ?? 0) + ((_codes?.Length ?? 0) * (long)sizeof(int));

    public T this[int row] => Reader[row];

    public override bool IsNull(int row) => Reader.IsNull(row);

    public override object? Value(int row) => IsNull(row) ? null : this[row];

    public override Column Take(int[] rows)
    {
        if (IsConstant)
            return new Values<T>(Type, items, nulls, rows.Length, constant: true);
        return _codes is null
            ? new Values<T>(Type, Pick(items, rows), nulls is null ? null : Pick(nulls, rows), rows.Length)
            : WithCodes(Pick(_codes, rows), rows.Length);
    }

    public override Column WithCodes(int[] codes, int length) =>
        new Values<T>(Type, items, nulls, length, codes, count: count);

    public override Column Repeat(int length) =>
        new Values<T>(Type, [this[0]], IsNull(0) ? [true] : null, length, constant: true);

    public override Column Concat(ColumnType type, IReadOnlyList<Column> parts)
    {
        var all = new T[parts.Sum(part => part.Length)];
        var isNull = new bool[all.Length];
        var at = 0;
        foreach (var part in parts)
        {
            var values = part.As<T>();
            for (var row = 0; row < part.Length; row++, at++)
            {
                all[at] = values[row];
                isNull[at] = values.IsNull(row);
            }
        }
        return new Values<T>(type, all, isNull.Contains(true) ? isNull : null, all.Length);
    }

    public override int Missing(int row)
    {
        if (IsNull(row))
            return 2;
        return this[row] is double real && double.IsNaN(real) ? 1 : 0;
    }

    public override int Compare(int a, int b) => Order.Compare(this[a], this[b]);

    private static TItem[] Pick<TItem>(TItem[] items, int[] rows)
    {
        var picked = new TItem[rows.Length];
        for (var i = 0; i < rows.Length; i++)
            picked[i] = items[rows[i]];
        return picked;
    }
}
