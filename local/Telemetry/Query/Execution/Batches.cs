using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal static class Batches
{
    public static Batch Concat(IReadOnlyList<Batch> parts, IReadOnlyList<ColumnSchema> columns, QueryContext context)
    {
        if (parts.Count == 1)
            return parts[0];
        var length = parts.Sum(part => part.Length);
        return new(length, columns.Count, i =>
        {
            context.Hold(length);
            return Columns.Concat(columns[i].Type, [.. parts.Select(part => part[i])]);
        });
    }
}
