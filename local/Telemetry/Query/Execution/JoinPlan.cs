using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Inner or left outer join on equal keys: the right side is held in memory, the left side passes by.</summary>
internal sealed class JoinPlan(
    Plan left,
    Plan right,
    IReadOnlyList<Scalar> leftKeys,
    IReadOnlyList<Scalar> rightKeys,
    bool outer,
    IReadOnlyList<ColumnSchema> columns
) : Plan(columns)
{
    public override IEnumerable<Batch> Run(QueryContext context)
    {
        var (index, rows, held) = Hold(context);
        foreach (var batch in left.Run(context))
        {
            context.Check();
            var numbers = index.Number(
                [.. leftKeys.Select(key => key.Evaluate(batch, context))],
                batch.Length,
                add: false
            );
            var (leftRows, rightRows) = Match(numbers, rows, held.Length, context);
            if (leftRows.Length > 0)
                yield return Joined(batch.Take(leftRows), held, rightRows);
        }
    }

    private (KeyIndex Index, List<int>[] RowsByNumber, Batch Held) Hold(QueryContext context)
    {
        var batches = right.Run(context).ToList();
        var held = Batches.Concat(batches.Count == 0 ? [Nothing()] : batches, right.Columns, context);
        context.Hold(held.Length);
        var index = new KeyIndex([.. rightKeys.Select(key => key.Type)]);
        var numbers = index.Number([.. rightKeys.Select(key => key.Evaluate(held, context))], held.Length);
        var rows = new List<int>[index.Count];
        for (var row = 0; row < numbers.Length; row++)
            (rows[numbers[row]] ??= []).Add(row);
        return (index, rows, held);
    }

    private Batch Nothing() =>
        new(0, right.Columns.Count, i => Query.Columns.Constant(right.Columns[i].Type, null, 1).Take([]));

    private (int[] Left, int[] Right) Match(int[] numbers, List<int>[] rowsByNumber, int missing, QueryContext context)
    {
        var (leftRows, rightRows) = (new List<int>(), new List<int>());
        for (var row = 0; row < numbers.Length; row++)
        {
            List<int> matches =
                numbers[row] >= 0 ? rowsByNumber[numbers[row]]
                : outer ? [missing]
                : [];
            context.Join(matches.Count);
            foreach (var match in matches)
            {
                leftRows.Add(row);
                rightRows.Add(match);
            }
        }
        return ([.. leftRows], [.. rightRows]);
    }

    private Batch Joined(Batch leftSide, Batch held, int[] rightRows) => new(leftSide.Length, Columns.Count, i =>
        {
            if (i < leftSide.Columns)
                return leftSide[i];
            var type = Columns[i].Type;
            var column = held[i - leftSide.Columns];
            // The row behind the last one is that of a left row without a match.
            return outer
                ? Query.Columns.Concat(type, [column, Query.Columns.Constant(type, null, 1)]).Take(rightRows)
                : column.Take(rightRows);
        });
}
