using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal sealed class JoinPlan(
    Plan left,
    Plan right,
    IReadOnlyList<Scalar> leftKeys,
    IReadOnlyList<Scalar> rightKeys,
    bool outer,
    IReadOnlyList<ColumnSchema> columns
) : Plan(columns)
{
    protected override IEnumerable<Batch> Produce(QueryContext context)
    {
        var (index, rows, held) = Hold(context);
        foreach (var batch in left.Run(context))
        {
            var numbers = index.Number(
                [.. leftKeys.Select(key => key.Evaluate(batch, context))],
                batch.Length,
                add: false
            );
            var (leftRows, rightRows) = Match(numbers, rows, held.Length - 1, context);
            if (leftRows.Length > 0)
                yield return Joined(batch.Take(leftRows), held, rightRows);
        }
    }

    private (KeyIndex Index, List<int>[] RowsByNumber, Batch Held) Hold(QueryContext context)
    {
        var batches = right.Run(context).ToList();
        var length = batches.Sum(batch => batch.Length);
        // For an outer join, the last row is null, for left rows without a match.
        var held = Batches.Concat(outer ? [.. batches, NullRow()] : batches, right.Columns, context);
        context.Hold(length);
        var index = new KeyIndex([.. rightKeys.Select(key => key.Type)]);
        var numbers = index.Number([.. rightKeys.Select(key => key.Evaluate(held, context))], length);
        var rows = new List<int>[index.Count];
        for (var row = 0; row < numbers.Length; row++)
            (rows[numbers[row]] ??= []).Add(row);
        return (index, rows, held);
    }

    private Batch NullRow() => new(1, right.Columns.Count, i => Query.Columns.Constant(right.Columns[i].Type, null, 1));

    private (int[] Left, int[] Right) Match(int[] numbers, List<int>[] rowsByNumber, int missing, QueryContext context)
    {
        var leftRows = new List<int>();
        var rightRows = new List<int>();
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

    private Batch Joined(Batch leftSide, Batch held, int[] rightRows) =>
        new(leftSide.Length, Columns.Count, i =>
            i < leftSide.Columns ? leftSide[i] : held[i - leftSide.Columns].Take(rightRows)
        );
}
