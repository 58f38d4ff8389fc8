using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>The rows for which a predicate is true; null counts as false.</summary>
internal static class Selection
{
    /// <returns>Row numbers; null when it is every row.</returns>
    public static int[]? Of(Column predicate, int length)
    {
        var rows = new int[length];
        var count =
            predicate is Coded coded && coded.Distinct.Length <= length
                ? Select(coded.Distinct.As<bool>(), coded.Codes, rows)
                : Select(predicate.As<bool>(), rows);
        return count == length ? null : rows[..count];
    }

    private static int Select(Values<bool> distinct, int[] codes, int[] rows)
    {
        var chosen = new bool[distinct.Length];
        for (var i = 0; i < chosen.Length; i++)
            chosen[i] = distinct[i] && !distinct.IsNull(i);
        var count = 0;
        for (var row = 0; row < rows.Length; row++)
        {
            rows[count] = row;
            if (chosen[codes[row]])
                count++;
        }
        return count;
    }

    private static int Select(Values<bool> values, int[] rows)
    {
        var count = 0;
        for (var row = 0; row < rows.Length; row++)
        {
            rows[count] = row;
            if (values[row] && !values.IsNull(row))
                count++;
        }
        return count;
    }
}
