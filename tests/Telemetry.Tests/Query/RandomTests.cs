namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>Thousands of expressions that nobody thought of; the seed is in the name of a test that fails.</summary>
public sealed class RandomTests
{
    private const string Schema = "a:long, b:long, x:real, y:real, s:string, t:string, p:bool, q:bool, d:datetime, e:timespan";

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 25)];

    [Theory, MemberData(nameof(Seeds))]
    public void The_engine_agrees_with_a_row_by_row_evaluation(int seed)
    {
        var random = new RandomExpressions(seed);
        var rows = Enumerable.Range(0, 80).Select(_ => random.Row()).ToList();
        var tables = Answer.Tables(Answer.Table("rows", Schema, [.. rows.Select(row => row.Values.ToArray())]));
        for (var i = 0; i < 40; i++)
        {
            var expression = random.Any(random.Type(), depth: 1 + (i % 4));
            var query = $"rows | project value = {ExpressionText.Print(expression)}";

            var answers = KqlQuery.Parse(query).Run(tables, cancellationToken: TestContext.Current.CancellationToken);

            for (var row = 0; row < rows.Count; row++)
                AssertSame(NaiveEvaluator.Evaluate(expression, rows[row]), answers[row, 0], $"{query}\nrow {row}");
        }
    }

    [Theory, MemberData(nameof(Seeds))]
    public void Filters_and_groups_agree_with_a_row_by_row_evaluation(int seed)
    {
        var random = new RandomExpressions(seed);
        var rows = Enumerable.Range(0, 200).Select(_ => random.Row()).ToList();
        var tables = Answer.Tables(Answer.Table("rows", Schema, [.. rows.Select(row => row.Values.ToArray())]));
        for (var i = 0; i < 15; i++)
        {
            var (filter, key, value) = (random.Any(ColumnType.Bool, 2), random.Any(random.Type(), i % 3), random.Any(ColumnType.Long, 2));
            var query = $"rows | where {ExpressionText.Print(filter)} | summarize n = count(), sum = sum({ExpressionText.Print(value)}), "
                + $"low = min({ExpressionText.Print(value)}), some = dcountif({ExpressionText.Print(value)}, p) "
                + $"by key = {ExpressionText.Print(key)}";
            var expected = rows.Where(row => NaiveEvaluator.Evaluate(filter, row) is true).GroupBy(row => NaiveEvaluator.Evaluate(key, row))
                .Select(group => (object?[])[group.Key, (long)group.Count(), .. Aggregates(group, value)]).ToList();

            var answers = KqlQuery.Parse(query).Run(tables, cancellationToken: TestContext.Current.CancellationToken);

            Assert.True(expected.Count == answers.Rows, query);
            for (var row = 0; row < expected.Count; row++)
            {
                for (var column = 0; column < answers.Columns.Count; column++)
                {
                    AssertSame(
                        expected[row][column],
                        answers[row, column],
                        $"{query}\ngroup {row}, {answers.Columns[column].Name}");
                }
            }
        }
    }

    private static object?[] Aggregates(IEnumerable<Dictionary<string, object?>> rows, Expression value)
    {
        var values = rows
            .Select(row => (Value: (long?)NaiveEvaluator.Evaluate(value, row), Counts: row["p"] is true))
            .Where(each => each.Value is not null)
            .ToList();
        return
        [
            values.Aggregate(0L, (sum, each) => unchecked(sum + each.Value!.Value)),
            values.Min(each => each.Value),
            (long)values.Where(each => each.Counts).Select(each => each.Value).Distinct().Count(),
        ];
    }

    private static void AssertSame(object? expected, object? actual, string what)
    {
        var ticks = actual switch { DateTime date => date.Ticks, TimeSpan span => span.Ticks, _ => actual };
        Assert.True(Equals(expected, ticks), $"{what}: expected {expected ?? "null"}, got {ticks ?? "null"}");
    }
}
