using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal sealed record AggregateUse(AggregateShape Shape, Scalar[] Arguments);

internal sealed class SummarizePlan(
    Plan source,
    IReadOnlyList<ColumnSchema> columns,
    IReadOnlyList<Scalar> keys,
    IReadOnlyList<AggregateUse> aggregates
) : Plan(columns)
{
    protected override IEnumerable<Batch> Produce(QueryContext context)
    {
        var index = keys.Count > 0 ? new KeyIndex([.. keys.Select(key => key.Type)]) : null;
        var states = aggregates.Select(use => use.Shape.Create(context)).ToArray();
        foreach (var batch in source.Run(context))
        {
            var before = index?.Count ?? 0;
            // Without keys, all rows are one group.
            var groups = index?.Number([.. keys.Select(key => key.Evaluate(batch, context))], batch.Length)
                ?? new int[batch.Length];
            var count = index?.Count ?? 1;
            context.Hold((long)(count - before) * Columns.Count);
            for (var i = 0; i < states.Length; i++)
                Add(states[i], aggregates[i].Arguments, batch, groups, count, context);
        }
        yield return Result(index, states);
    }

    private static void Add(
        Aggregate state,
        Scalar[] arguments,
        Batch batch,
        int[] groups,
        int count,
        QueryContext context
    ) => state.Add(Array.ConvertAll(arguments, argument => argument.Evaluate(batch, context)), groups, count);

    private Batch Result(KeyIndex? index, Aggregate[] states)
    {
        var count = index?.Count ?? 1;
        var result = (index?.Keys() ?? []).Concat(states.SelectMany(state => state.Finish(count))).ToArray();
        return new(count, Columns.Count, i => result[i]);
    }
}
