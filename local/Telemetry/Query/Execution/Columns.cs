using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

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

    public static Column Concat(ColumnType type, IReadOnlyList<Column> parts) =>
        parts.Count switch
        {
            0 => Constant(type, null, 0),
            1 => parts[0],
            _ => parts[0].Concat(type, parts),
        };

    private static Values<T> Constant<T>(ColumnType type, object? value, int length)
        where T : struct =>
        new(type, [value is null ? default : (T)value], value is null ? [true] : null, length, constant: true);
}
