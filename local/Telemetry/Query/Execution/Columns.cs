using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Making columns where the type is known only when the query runs.</summary>
internal static class Columns
{
    public static Column Constant(ColumnType type, object? value, int length) => type switch
    {
        ColumnType.Bool => Constant<bool>(type, value, length),
        ColumnType.Real => Constant<double>(type, value, length),
        ColumnType.String => new Values<string>(type, [(string?)value ?? ""], null, length, constant: true),
        ColumnType.Dynamic => Constant<Dynamic>(type, value, length),
        _ => Constant<long>(type, value, length),
    };

    /// <summary>The same single value in every row.</summary>
    public static Column Repeat(Column one, int length) => one switch
    {
        Values<bool> values => Repeat(values, length),
        Values<long> values => Repeat(values, length),
        Values<double> values => Repeat(values, length),
        Values<string> values => Repeat(values, length),
        Values<Dynamic> values => Repeat(values, length),
        _ => Repeat(one.Flatten(), length),
    };

    public static Column Concat(ColumnType type, IReadOnlyList<Column> parts)
    {
        if (parts.Count == 1)
            return parts[0];
        return type switch
        {
            ColumnType.Bool => Concat<bool>(type, parts),
            ColumnType.Real => Concat<double>(type, parts),
            ColumnType.String => Concat<string>(type, parts),
            ColumnType.Dynamic => Concat<Dynamic>(type, parts),
            _ => Concat<long>(type, parts),
        };
    }

    /// <summary>bool, long (also ticks), double, string or <see cref="Dynamic"/>; null for null.</summary>
    public static object? Value(Column column, int row) => column.Flatten() switch
    {
        Values<bool> values => values.IsNull(row) ? null : values[row],
        Values<long> values => values.IsNull(row) ? null : values[row],
        Values<double> values => values.IsNull(row) ? null : values[row],
        Values<string> values => values[row],
        Values<Dynamic> values => values.IsNull(row) ? null : values[row],
        var other => throw new InvalidOperationException($"{other.GetType()} is not flat."),
    };

    private static Values<T> Constant<T>(ColumnType type, object? value, int length) where T : struct =>
        new(type, [value is null ? default : (T)value], value is null ? [true] : null, length, constant: true);

    private static Values<T> Repeat<T>(Values<T> one, int length) =>
        new(one.Type, [one[0]], one.IsNull(0) ? [true] : null, length, constant: true);

    private static Values<T> Concat<T>(ColumnType type, IReadOnlyList<Column> parts)
    {
        var length = parts.Sum(part => part.Length);
        var items = new T[length];
        var nulls = new bool[length];
        var at = 0;
        foreach (var part in parts)
        {
            var values = part.As<T>();
            for (var i = 0; i < values.Length; i++, at++)
            {
                items[at] = values[i];
                nulls[at] = values.IsNull(i);
            }
        }
        return new(type, items, nulls.Contains(true) ? nulls : null, length);
    }
}
