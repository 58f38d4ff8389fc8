using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Making columns where the type is known only when the query runs.</summary>
internal static class Columns
{
    public static Column Constant(ColumnType type, object? value, int length) =>
        type switch
        {
            ColumnType.Bool => Constant<bool>(type, value, length),
            ColumnType.Real => Constant<double>(type, value, length),
            ColumnType.String => new Values<string>(type, [(string?)value ?? ""], null, length, constant: true),
            ColumnType.Dynamic => Constant<Dynamic>(type, value, length),
            _ => Constant<long>(type, value, length),
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

    private static Values<T> Constant<T>(ColumnType type, object? value, int length)
        where T : struct =>
        new(type, [value is null ? default : (T)value], value is null ? [true] : null, length, constant: true);

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
