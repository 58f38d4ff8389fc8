using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal static class Batches
{
    /// <summary>One batch of all rows; a column is put together when it is asked for.</summary>
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
