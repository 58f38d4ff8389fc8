using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal static class Selection
{
    /// <returns>The row numbers; <c>null</c> for all rows.</returns>
    public static int[]? Of(Column predicate, int length)
    {
        var values = predicate.As<bool>();
        var rows = new int[length];
        var count = 0;
        for (var row = 0; row < length; row++)
        {
            rows[count] = row;
            if (values[row] && !values.IsNull(row))
                count++;
        }
        return count == length ? null : rows[..count];
    }
}
