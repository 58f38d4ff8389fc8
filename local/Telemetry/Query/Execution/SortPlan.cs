using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal sealed record SortBy(Scalar Value, bool Ascending, bool NullsFirst);

/// <summary>Sorts rows (stable). NaN is between null and numbers.</summary>
internal sealed class SortPlan(Plan source, IReadOnlyList<SortBy> keys, long? limit) : Plan(source.Columns)
{
    // Rows beyond the limit that are held before they're dropped.
    private const int MaxExtraRows = 100_000;

    public Plan Source => source;

    public long? Limit => limit;

    public IReadOnlyList<SortBy> Keys => keys;

    protected override IEnumerable<Batch> Produce(QueryContext context)
    {
        var held = new List<Batch>();
        var length = 0L;
        foreach (var batch in source.Run(context))
        {
            held.Add(batch);
            length += batch.Length;
            context.Hold(batch.Length);
            if (limit is null || length <= limit + MaxExtraRows)
                continue;
            held = Only(held, [.. Sorted(held, context).Order()]);
            context.Hold(limit.Value - length);
            length = limit.Value;
        }
        var rows = Sorted(held, context);
        if (limit is not null)
        {
            int[] kept = [.. rows.Order()];
            held = Only(held, kept);
            rows = Array.ConvertAll(rows, row => Array.BinarySearch(kept, row));
        }
        yield return Batches.Concat(held, Columns, context).Take(rows);
    }

    /// <summary>Returns the batches with only these rows, without empty batches.</summary>
    /// <param name="rows">Row numbers across batches, in ascending order, which keeps the sort stable.</param>
    private static List<Batch> Only(List<Batch> batches, int[] rows)
    {
        var kept = new List<Batch>();
        var at = 0;
        var first = 0;
        foreach (var batch in batches)
        {
            var from = at;
            var start = first;
            while (at < rows.Length && rows[at] < first + batch.Length)
                at++;
            if (at > from)
                kept.Add(batch.Take(Array.ConvertAll(rows[from..at], row => row - start)));
            first += batch.Length;
        }
        return kept;
    }

    private int[] Sorted(List<Batch> held, QueryContext context)
    {
        var orders = keys.Select(key => Order(key, held, context)).ToArray();
        var rows = Enumerable.Range(0, held.Sum(batch => batch.Length)).ToArray();
        Array.Sort(rows, (a, b) => Compare(orders, a, b));
        return limit < rows.Length ? rows[..(int)limit] : rows;
    }

    private static RowOrder Order(SortBy key, List<Batch> held, QueryContext context) =>
        new(
            Query.Columns.Concat(key.Value.Type, [.. held.Select(batch => key.Value.Evaluate(batch, context))]),
            key.Ascending,
            key.NullsFirst
        );

    private static int Compare(RowOrder[] orders, int a, int b)
    {
        foreach (var order in orders)
        {
            if (order.Compare(a, b) is not 0 and var difference)
                return difference;
        }
        return a.CompareTo(b);
    }
}

internal sealed class RowOrder(Column column, bool ascending, bool nullsFirst)
{
    public int Compare(int a, int b)
    {
        var aMisses = column.Missing(a);
        var bMisses = column.Missing(b);
        if (aMisses + bMisses > 0)
            return nullsFirst ? bMisses - aMisses : aMisses - bMisses;
        var order = column.Compare(a, b);
        return ascending ? order : -order;
    }
}
