using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Chosen rows of several batches in any order. Only these rows of a column are ever opened.</summary>
/// <param name="rows">Row numbers over all parts.</param>
internal sealed class GatheredBatch(
    IReadOnlyList<Batch> parts,
    int[] rows,
    IReadOnlyList<ColumnSchema> columns,
    QueryContext context
) : Batch(rows.Length, columns.Count, Reader(parts, rows, columns, context))
{
    private readonly int[] _rows = rows;

    public override Batch Take(int[] rows) =>
        new GatheredBatch(parts, Array.ConvertAll(rows, row => _rows[row]), columns, context);

    /// <summary>The parts with only these rows; parts that are left without any are left out.</summary>
    /// <param name="rows">In ascending order.</param>
    public static List<Batch> Split(IReadOnlyList<Batch> parts, int[] rows) =>
        [
            .. parts
                .Zip(Partition(parts, rows).Local)
                .Where(part => part.Second.Count > 0)
                .Select(part => part.First.Take([.. part.Second])),
        ];

    private static Func<int, Column> Reader(
        IReadOnlyList<Batch> parts,
        int[] rows,
        IReadOnlyList<ColumnSchema> columns,
        QueryContext context
    )
    {
        var partition = new Lazy<(List<int>[] Local, int[] Position)>(() => Partition(parts, rows));
        return column =>
        {
            context.Hold(rows.Length);
            var taken = parts
                .Zip(partition.Value.Local)
                .Where(part => part.Second.Count > 0)
                .Select(part => part.First[column].Take([.. part.Second]))
                .ToList();
            return taken.Count == 0
                ? Query.Columns.Constant(columns[column].Type, null, 1).Take([])
                : Query.Columns.Concat(columns[column].Type, taken).Take(partition.Value.Position);
        };
    }

    /// <returns>Which rows of each part are taken, and where each wanted row is once these stand one after the other.</returns>
    private static (List<int>[] Local, int[] Position) Partition(IReadOnlyList<Batch> parts, int[] rows)
    {
        var ends = new int[parts.Count];
        for (var i = 0; i < ends.Length; i++)
            ends[i] = (i == 0 ? 0 : ends[i - 1]) + parts[i].Length;
        var local = parts.Select(_ => new List<int>()).ToArray();
        var (part, place) = (new int[rows.Length], new int[rows.Length]);
        for (var i = 0; i < rows.Length; i++)
        {
            // The first part that ends behind the row; parts may be empty.
            var found = Array.BinarySearch(ends, rows[i] + 1);
            part[i] = found >= 0 ? Array.IndexOf(ends, ends[found]) : ~found;
            place[i] = local[part[i]].Count;
            local[part[i]].Add(rows[i] - (ends[part[i]] - parts[part[i]].Length));
        }
        var before = 0;
        var starts = local.Select(list => (before += list.Count) - list.Count).ToArray();
        for (var i = 0; i < rows.Length; i++)
            place[i] += starts[part[i]];
        return (local, place);
    }
}
