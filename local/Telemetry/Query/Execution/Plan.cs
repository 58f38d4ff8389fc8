using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>An executable step of a query.</summary>
internal abstract class Plan(IReadOnlyList<ColumnSchema> columns)
{
    public IReadOnlyList<ColumnSchema> Columns { get; } = columns;

    /// <summary>Returns the batches of the step. Checks the limits, and the stack, because steps can nest to any
    /// depth.</summary>
    public IEnumerable<Batch> Run(QueryContext context)
    {
        context.Check();
        foreach (var batch in Produce(context))
        {
            yield return batch;
            context.Check();
        }
    }

    protected abstract IEnumerable<Batch> Produce(QueryContext context);
}

internal sealed class TablePlan(TableSnapshot table) : Plan(table.Schema.Columns)
{
    protected override IEnumerable<Batch> Produce(QueryContext context)
    {
        foreach (var chunk in table.Chunks)
        {
            context.RowsRead += chunk.Length;
            yield return new(chunk.Length, Columns.Count, chunk.Read);
        }
    }
}

/// <summary>Filters by predicates in order.</summary>
internal sealed class WherePlan(Plan source, IReadOnlyList<Scalar> predicates) : Plan(source.Columns)
{
    protected override IEnumerable<Batch> Produce(QueryContext context)
    {
        foreach (var batch in source.Run(context))
        {
            var passed = batch;
            for (var i = 0; i < predicates.Count && passed.Length > 0; i++)
            {
                if (Selection.Of(predicates[i].Evaluate(passed, context), passed.Length) is { } rows)
                    passed = passed.Take(rows);
            }
            if (passed.Length > 0)
                yield return passed;
        }
    }
}

internal sealed class ProjectPlan(Plan source, IReadOnlyList<ColumnSchema> columns, IReadOnlyList<Scalar> values)
    : Plan(columns)
{
    protected override IEnumerable<Batch> Produce(QueryContext context)
    {
        foreach (var batch in source.Run(context))
            yield return new(batch.Length, values.Count, i => values[i].Evaluate(batch, context));
    }
}

internal sealed class TakePlan(Plan source, long count) : Plan(source.Columns)
{
    protected override IEnumerable<Batch> Produce(QueryContext context)
    {
        var left = count;
        if (left == 0)
            yield break;
        foreach (var batch in source.Run(context))
        {
            yield return batch.First((int)Math.Min(left, batch.Length));
            left -= batch.Length;
            if (left <= 0)
                yield break;
        }
    }
}

/// <summary>Concatenates the rows of several sources; missing columns are null.</summary>
/// <param name="maps">For each source and column, the index of the source's column, or −1.</param>
/// <param name="names">The values of the first column, which the maps don't contain; <c>null</c> if there is no such
/// column.</param>
internal sealed class UnionPlan(
    IReadOnlyList<Plan> sources,
    IReadOnlyList<int[]> maps,
    IReadOnlyList<ColumnSchema> columns,
    IReadOnlyList<string>? names
) : Plan(columns)
{
    protected override IEnumerable<Batch> Produce(QueryContext context)
    {
        for (var i = 0; i < sources.Count; i++)
        {
            var source = i;
            foreach (var batch in sources[i].Run(context))
                yield return new(batch.Length, Columns.Count, column => Read(batch, source, column));
        }
    }

    private Column Read(Batch batch, int source, int column)
    {
        if (names is not null && column == 0)
            return Query.Columns.Constant(ColumnType.String, names[source], batch.Length);
        var from = maps[source][names is null ? column : column - 1];
        return from >= 0 ? batch[from] : Query.Columns.Constant(Columns[column].Type, null, batch.Length);
    }
}
