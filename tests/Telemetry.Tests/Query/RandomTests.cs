namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>
/// Compares expressions over columns, which are computed per row or once per distinct string, with expressions over
/// constants, which ScalarTests and DocumentedTests check. The test's name contains the seed.
/// </summary>
public sealed class RandomTests
{
    private const string Schema =
        "a:long, b:long, x:real, y:real, s:string, t:string, p:bool, q:bool, d:datetime, e:timespan";

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 25)];

    [Theory, MemberData(nameof(Seeds))]
    public void Expression_has_the_same_value_over_columns_and_constants(int seed)
    {
        var random = new RandomExpressions(seed);
        var rows = Enumerable.Range(0, 10).Select(_ => random.Row()).ToList();
        for (var i = 0; i < 40; i++)
        {
            var expression = random.Any(random.Type(), depth: 1 + (i % 4));

            var answers = Ask($"rows | project value = {expression}", rows);

            for (var row = 0; row < rows.Count; row++)
            {
                var lets = rows[row]
                    .Select(it => $"let {it.Key} = {RandomExpressions.Constant(it.Value.Type, it.Value.Value)};\n");
                var constant = $"{string.Concat(lets)}print value = {expression}";
                Assert.True(
                    Equals(Ask(constant, rows)[0, 0], answers[row, 0]),
                    $"{constant}: {answers[row, 0] ?? "null"}"
                );
            }
        }
    }

    private static QueryResult Ask(string query, IEnumerable<Dictionary<string, (ColumnType Type, object? Value)>> rows)
    {
        var table = Answer.Table("rows", Schema, [.. rows.Select(row => row.Values.Select(it => it.Value).ToArray())]);
        return KqlQuery
            .Parse(query)
            .Run(Answer.Tables(table), cancellationToken: TestContext.Current.CancellationToken);
    }
}
