namespace DroneDelivery.Telemetry.Tables;

/// <summary>A column of a batch of rows, immutable. Queries compute on <see cref="Values{T}"/>; <see cref="Coded"/> and
/// <see cref="PooledText"/> are the forms that a table keeps, opened only as far as a query asks.</summary>
public abstract class Column(ColumnType type, int length)
{
    public ColumnType Type { get; } = type;

    public int Length { get; } = length;

    /// <summary>Whether one value stands for all rows.</summary>
    public virtual bool IsConstant => false;

    /// <summary>The rows at these positions, in this order.</summary>
    public abstract Column Take(int[] rows);

    /// <summary>The same values, one per row.</summary>
    public abstract Column Flatten();

    /// <summary>The value of each row from this column or from another one.</summary>
    public virtual Column Merge(ColumnType type, Column other, bool[] fromOther) =>
        Flatten().Merge(type, other, fromOther);

    public abstract bool IsNull(int row);

    /// <summary>The first value in every row.</summary>
    public virtual Column Repeat(int length) => Flatten().Repeat(length);

    /// <summary>bool, long (also ticks), double, string or <see cref="Dynamic"/>; null for null.</summary>
    public virtual object? Value(int row) => Flatten().Value(row);

    /// <summary>The same values; T is bool, long, double, string or <see cref="Dynamic"/> according to <see cref="Type"/>.</summary>
    public Values<T> As<T>() => (Values<T>)Flatten();

    protected static TItem[] Pick<TItem>(TItem[] items, int[] rows)
    {
        var picked = new TItem[rows.Length];
        for (var i = 0; i < rows.Length; i++)
            picked[i] = items[rows[i]];
        return picked;
    }
}

/// <summary>Plain values; one value for all rows when <paramref name="constant"/> is set.</summary>
/// <param name="nulls">Which values are null; absent when none is.</param>
public sealed class Values<T>(ColumnType type, T[] items, bool[]? nulls, int length, bool constant = false)
    : Column(type, length)
{
    // Ands with the row number: constants and columns are read by the same loop.
    private readonly int _mask = constant ? 0 : -1;

    public override bool IsConstant => _mask == 0;

    public bool HasNulls => nulls is not null;

    public T this[int row] => items[row & _mask];

    public override bool IsNull(int row) => nulls is not null && nulls[row & _mask];

    public override Column Flatten() => this;

    public override Column Merge(ColumnType type, Column other, bool[] fromOther)
    {
        var second = other.As<T>();
        var merged = new T[fromOther.Length];
        var isNull = HasNulls || second.HasNulls ? new bool[fromOther.Length] : null;
        for (var row = 0; row < merged.Length; row++)
        {
            var source = fromOther[row] ? second : this;
            merged[row] = source[row];
            if (isNull is not null)
                isNull[row] = source.IsNull(row);
        }
        return new Values<T>(type, merged, isNull, merged.Length);
    }

    public override Column Repeat(int length) =>
        new Values<T>(Type, [this[0]], IsNull(0) ? [true] : null, length, constant: true);

    public override object? Value(int row) => IsNull(row) ? null : this[row];

    public override Column Take(int[] rows) =>
        IsConstant
            ? new Values<T>(Type, items, nulls, rows.Length, constant: true)
            : new Values<T>(Type, Pick(items, rows), nulls is null ? null : Pick(nulls, rows), rows.Length);
}

/// <summary>
/// Dictionary coding: row i has the value <c>Distinct[Codes[i]]</c>. What depends on one coded column alone is computed once per distinct
/// value, and its result is coded with the same <see cref="Codes"/>.
/// </summary>
public sealed class Coded(Column distinct, int[] codes, int length) : Column(distinct.Type, length)
{
    private Column? _flat;

    public Column Distinct { get; } = distinct;

    /// <summary>May be longer than <see cref="Column.Length"/>.</summary>
    public int[] Codes { get; } = codes;

    public override bool IsNull(int row) => Distinct.IsNull(Codes[row]);

    public override Column Take(int[] rows) => new Coded(Distinct, Pick(Codes, rows), rows.Length);

    // With fewer distinct values than rows each is opened once; otherwise only those that occur here.
    public override Column Flatten() =>
        _flat ??= (Distinct.Length <= Length ? Distinct.Flatten() : Distinct)
            .Take(Codes.Length == Length ? Codes : Codes[..Length])
            .Flatten();
}
