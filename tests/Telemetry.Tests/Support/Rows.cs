namespace DroneDelivery.Telemetry.Tests.Support;

internal static class Rows
{
    public static List<Dictionary<string, object?>> Of(TelemetrySnapshot snapshot, string table)
    {
        var limits = new QueryOptions { Limits = new() { ResultRows = int.MaxValue } };
        var answer = KqlQuery
            .Parse(table)
            .Run(snapshot, limits, cancellationToken: TestContext.Current.CancellationToken);
        return
        [
            .. Enumerable
                .Range(0, answer.Rows)
                .Select(row =>
                    Enumerable
                        .Range(0, answer.Columns.Count)
                        .ToDictionary(i => answer.Columns[i].Name, i => Cell(answer[row, i]))
                ),
        ];
    }

    private static object? Cell(object? value) => value is Dynamic ? value.ToString() : value;
}
