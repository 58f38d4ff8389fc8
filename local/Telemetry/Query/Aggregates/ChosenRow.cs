using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>
/// arg_max, arg_min and take_any: one whole row of each group, the best by the first argument or the first that came. take_any of a
/// single column prefers a value to none, as in Azure.
/// </summary>
/// <param name="sign">1: the largest, −1: the smallest, 0: the first.</param>
internal sealed class ChosenRow(IReadOnlyList<ColumnType> types, int sign, QueryContext context) : Aggregate
{
    private readonly List<Column[]> _batches = [];
    private (int Batch, int Row)[] _chosen = [];
    private int _known;

    public override void Add(Column[] arguments, int[] groups, int count)
    {
        Grow(ref _chosen, count);
        for (; _known < count; _known++)
            _chosen[_known] = (-1, 0);
        var key = arguments[0].Flatten();
        _batches.Add([key, .. arguments.AsSpan(1)]);
        var batch = _batches.Count - 1;
        var improved = new List<int>();
        for (var row = 0; row < groups.Length; row++)
        {
            ref var chosen = ref _chosen[groups[row]];
            if (chosen.Batch >= 0 && !Replaces(key, row, _batches[chosen.Batch][0], chosen.Row))
                continue;
            if (chosen.Batch != batch)
                improved.Add(groups[row]);
            chosen = (batch, row);
        }
        KeepOnly(improved, batch);
    }

    // Of each batch only the rows stay that some group has chosen.
    private void KeepOnly(List<int> groups, int batch)
    {
        var rows = new int[groups.Count];
        for (var i = 0; i < rows.Length; i++)
        {
            rows[i] = _chosen[groups[i]].Row;
            _chosen[groups[i]] = (batch, i);
        }
        context.Hold((long)rows.Length * types.Count);
        _batches[batch] = Array.ConvertAll(_batches[batch], column => column.Take(rows));
    }

    public override Column[] Finish(int count)
    {
        // The chosen rows batch after batch, then put into the order of the groups.
        var order = Enumerable
            .Range(0, count)
            .Where(group => group < _known && _chosen[group].Batch >= 0)
            .OrderBy(group => _chosen[group])
            .ToArray();
        var parts = order
            .GroupBy(group => _chosen[group].Batch, group => _chosen[group].Row)
            .Select(part => (Batch: part.Key, Rows: part.ToArray()))
            .ToList();
        var position = new int[count];
        Array.Fill(position, order.Length); // the row behind the last: no row was chosen
        for (var i = 0; i < order.Length; i++)
            position[order[i]] = i;
        return
        [
            .. types.Select(
                (type, column) =>
                    Columns
                        .Concat(
                            type,
                            [
                                .. parts.Select(part => _batches[part.Batch][column].Take(part.Rows)),
                                Columns.Constant(type, null, 1),
                            ]
                        )
                        .Take(position)
            ),
        ];
    }

    private bool Replaces(Column key, int row, Column best, int bestRow) =>
        sign != 0
            ? IsBetter(key, row, best, bestRow)
            : types.Count == 1 && IsEmpty(best, bestRow) && !IsEmpty(key, row);

    private static bool IsEmpty(Column column, int row) => column.Value(row) is null or "";

    private bool IsBetter(Column key, int row, Column best, int bestRow) =>
        (key, best) switch
        {
            (Values<long> a, Values<long> b) => IsBetter(a, row, b, bestRow, Comparer<long>.Default),
            (Values<double> a, Values<double> b) => IsBetter(a, row, b, bestRow, Comparer<double>.Default),
            (Values<bool> a, Values<bool> b) => IsBetter(a, row, b, bestRow, Comparer<bool>.Default),
            (Values<string> a, Values<string> b) => IsBetter(a, row, b, bestRow, StringComparer.Ordinal),
            _ => false,
        };

    // Any value is better than none.
    private bool IsBetter<T>(Values<T> a, int row, Values<T> b, int bestRow, IComparer<T> comparer) =>
        !a.IsNull(row) && (b.IsNull(bestRow) || comparer.Compare(a[row], b[bestRow]) * sign > 0);
}
