using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Workshop;

/// <summary>A question that a KQL query answers. Every query with the same rows is correct, regardless of column names.</summary>
internal sealed record KqlExercise : Exercise
{
    public string Solution { get; }

    public KqlExercise(string id, string question, string solution, string hint)
        : base(id, question, "run 1") =>
        (Solution, Hints, Answer, Because) = (solution, [hint], "QUERY", $"One query that does it: {solution}");

    public override async Task<IReadOnlyList<Finding>> CheckAsync(
        string folder,
        string? answer,
        CancellationToken cancellationToken
    ) => Check(await RunTelemetry.LoadAsync(folder, _ => { }, cancellationToken), answer!);

    public IReadOnlyList<Finding> Check(RunTelemetry telemetry, string answer)
    {
        var right = telemetry.AskAll(KqlQuery.Parse(Solution), DateTimeOffset.MaxValue);
        var (given, mistake) = Ask(telemetry, answer);
        return Grade([
            new("the run has something to find", right.Rows > 0, $"Begin with ./lab {BeginWith}."),
            new("it is a query", given is not null, mistake ?? ""),
            new(
                $"it has {right.Columns.Count} columns",
                given?.Columns.Count == right.Columns.Count,
                $"Yours has {given?.Columns.Count}. {Hints[0]}"
            ),
            new("it has as many rows as the answer", given?.Rows == right.Rows, $"Yours has {given?.Rows}. {Hints[0]}"),
            new(
                "its rows are those of the answer",
                given is not null && RowsOf(given).SequenceEqual(RowsOf(right)),
                Hints[0]
            ),
        ]);
    }

    private static (QueryResult? Given, string? Mistake) Ask(RunTelemetry telemetry, string answer)
    {
        try
        {
            return (telemetry.AskAll(KqlQuery.Parse(answer), DateTimeOffset.MaxValue), null);
        }
        catch (KqlException exception)
        {
            return (null, exception.Message);
        }
    }

    /// <summary>The cells of each row in an order that doesn't depend on column names or positions.</summary>
    private static IEnumerable<string> RowsOf(QueryResult result) =>
        Enumerable
            .Range(0, result.Rows)
            .Select(row =>
                string.Join(
                    '|',
                    Enumerable
                        .Range(0, result.Columns.Count)
                        .Select(column => TextOf(result[row, column]))
                        .Order(StringComparer.Ordinal)
                )
            )
            .Order(StringComparer.Ordinal);

    private static string TextOf(object? cell) =>
        cell switch
        {
            double real => $"{real:G6}",
            long whole => $"{(double)whole:G6}",
            _ => $"{cell}",
        };
}

/// <summary>The exercises of docs/tutorials/kql-primer.md, in its order.</summary>
internal static class KqlExerciseTable
{
    public static IReadOnlyList<KqlExercise> All { get; } =
    [
        new(
            "kql-1",
            "How many requests did each service answer? One row for each service: its name, and the number.",
            "requests | summarize sum(itemCount) by cloud_RoleName",
            "Which table has what a service was asked, and which column has the service?"
        ),
        new(
            "kql-2",
            "Which calls failed? One row for each target and result code: target, result code, number.",
            "dependencies | where success == false | summarize sum(itemCount) by target, resultCode",
            "Keep the calls whose success is false, and count by two columns."
        ),
        new(
            "kql-3",
            "How long does a call to each target take? One row for each target: target, median, 95th percentile.",
            "dependencies | summarize percentiles(duration, 50, 95) by target",
            "percentiles takes a column and then the percentiles, and gives a column for each."
        ),
        new(
            "kql-4",
            "How many requests were accepted (202) in each 5 seconds? One row for each 5 seconds: time, number.",
            "requests | where cloud_RoleName has 'ingestion' and resultCode == '202' | summarize sum(itemCount) by bin(timestamp, 5s)",
            "bin(timestamp, 5s) is the beginning of the 5 seconds. Who answers 202 to a client?"
        ),
        new(
            "kql-5",
            "Which exceptions were there? One row for each type: type, number.",
            "exceptions | summarize sum(itemCount) by type",
            "Exceptions have a table of their own."
        ),
    ];
}
