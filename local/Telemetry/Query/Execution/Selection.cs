using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>The rows for which a predicate is true; null counts as false.</summary>
internal static class Selection
{
    /// <returns>Row numbers; null when it is every row.</returns>
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
