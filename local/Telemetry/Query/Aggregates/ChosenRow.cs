using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>arg_max, arg_min, and take_any: one row per group, the best by the first argument or the first one. Like
/// Azure, take_any of a single column prefers values to null.</summary>
/// <param name="sign">1 for the largest value, −1 for the smallest, 0 for the first.</param>
internal sealed class ChosenRow(IReadOnlyList<ColumnType> types, int sign, QueryContext context) : Aggregate
{
    private Column[] _rows = [.. types.Select(type => Columns.Constant(type, null, 1).Take([]))];

    public override void Add(Column[] arguments, int[] groups, int count)
    {
        if (groups.Length == 0)
            return;
        var known = _rows[0].Length;
        context.Hold((long)(count - known) * types.Count);
        // Row numbers continue from the chosen rows into the batch.
        var chosen = new int[count];
        for (var group = 0; group < count; group++)
            chosen[group] = group < known ? group : -1;
        var replaces = Replaces(Columns.Concat(types[0], [_rows[0], arguments[0]]));
        for (var row = 0; row < groups.Length; row++)
        {
            ref var best = ref chosen[groups[row]];
            if (best < 0 || replaces(known + row, best))
                best = known + row;
        }
        Choose(arguments, chosen, known);
    }

    public override Column[] Finish(int count) =>
        _rows[0].Length == count ? _rows : [.. types.Select(type => Columns.Constant(type, null, count))];

    private void Choose(Column[] arguments, int[] chosen, int known)
    {
        var rows = new List<int>();
        for (var group = 0; group < chosen.Length; group++)
        {
            if (chosen[group] < known)
                continue;
            rows.Add(chosen[group] - known);
            chosen[group] = known + rows.Count - 1;
        }
        if (rows.Count == 0)
            return;
        int[] taken = [.. rows];
        for (var i = 0; i < _rows.Length; i++)
            _rows[i] = Columns.Concat(types[i], [_rows[i], arguments[i].Take(taken)]).Take(chosen);
    }

    private Func<int, int, bool> Replaces(Column key)
    {
        if (sign != 0)
        {
            var order = new RowOrder(key, ascending: true, nullsFirst: sign > 0);
            return (row, best) => order.Compare(row, best) * sign > 0;
        }
        return types.Count == 1
            ? (row, best) => key.Value(best) is null or "" && key.Value(row) is not (null or "")
            : (_, _) => false;
    }
}
