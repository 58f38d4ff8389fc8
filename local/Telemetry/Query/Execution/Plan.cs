using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>A step of a query, ready to run: it asks the step before it for batches and gives batches on.</summary>
internal abstract class Plan(IReadOnlyList<ColumnSchema> columns)
{
    public IReadOnlyList<ColumnSchema> Columns { get; } = columns;

    public abstract IEnumerable<Batch> Run(QueryContext context);
}

internal sealed class TablePlan(TableSnapshot table) : Plan(table.Schema.Columns)
{
    public override IEnumerable<Batch> Run(QueryContext context)
    {
        foreach (var chunk in table.Chunks)
        {
            context.Check();
            context.RowsRead += chunk.Length;
            yield return new(chunk.Length, Columns.Count, chunk.Read);
        }
    }
}

internal sealed class WherePlan(Plan source, Scalar predicate) : Plan(source.Columns)
{
    public override IEnumerable<Batch> Run(QueryContext context)
    {
        foreach (var batch in source.Run(context))
        {
            context.Check();
            var rows = Selection.Of(predicate.Evaluate(batch, context), batch.Length);
            if (rows is null)
                yield return batch;
            else if (rows.Length > 0)
                yield return batch.Take(rows);
        }
    }
}

/// <summary>Makes each column from an expression over the source: project, extend, rename and all their kin.</summary>
internal sealed class ProjectPlan(Plan source, IReadOnlyList<ColumnSchema> columns, IReadOnlyList<Scalar> values)
    : Plan(columns)
{
    public override IEnumerable<Batch> Run(QueryContext context)
    {
        foreach (var batch in source.Run(context))
        {
            context.Check();
            yield return new(batch.Length, values.Count, i => values[i].Evaluate(batch, context));
        }
    }
}

internal sealed class TakePlan(Plan source, long count) : Plan(source.Columns)
{
    public override IEnumerable<Batch> Run(QueryContext context)
    {
        var left = count;
        if (left == 0)
            yield break;
        foreach (var batch in source.Run(context))
        {
            context.Check();
            yield return batch.First((int)Math.Min(left, batch.Length));
            left -= batch.Length;
            if (left <= 0)
                yield break;
        }
    }
}

/// <summary>One row of values.</summary>
internal sealed class PrintPlan(IReadOnlyList<ColumnSchema> columns, IReadOnlyList<Scalar> values) : Plan(columns)
{
    public override IEnumerable<Batch> Run(QueryContext context)
    {
        var nothing = new Batch(1, 0, _ => throw new InvalidOperationException("print has no source."));
        yield return new(1, values.Count, i => values[i].Evaluate(nothing, context));
    }
}

/// <summary>The rows of several sources one after the other; a column that a source lacks is null there.</summary>
/// <param name="maps">For each source and column the source's column, or −1.</param>
internal sealed class UnionPlan(
    IReadOnlyList<Plan> sources,
    IReadOnlyList<int[]> maps,
    IReadOnlyList<ColumnSchema> columns,
    IReadOnlyList<string>? names
) : Plan(columns)
{
    public override IEnumerable<Batch> Run(QueryContext context)
    {
        for (var i = 0; i < sources.Count; i++)
        {
            var source = i;
            foreach (var batch in sources[i].Run(context))
            {
                context.Check();
                yield return new(batch.Length, Columns.Count, column => Read(batch, source, column));
            }
        }
    }

    private Column Read(Batch batch, int source, int column)
    {
        if (maps[source][column] is >= 0 and var from)
            return batch[from];
        // The column that says where a row comes from has a place in no source.
        var value = names is not null && column == 0 ? names[source] : null;
        return Query.Columns.Constant(Columns[column].Type, value, batch.Length);
    }
}
