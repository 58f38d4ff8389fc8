using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Query;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Report;

/// <param name="What">request, dependency, exception, delivery or trace.</param>
/// <param name="Ms">Null for an exception and a log line.</param>
internal sealed record BrowseRow(
    DateTime At, string What, string Operation, string Service, string Instance, string Name, string Target, string Result, bool Failed,
    double? Ms, string Says);

/// <param name="Found">Rows that match, at most one more than all pages have.</param>
/// <param name="Until">Where the list ends: the next page asks with it, so that what begins meanwhile moves nothing.</param>
internal sealed record BrowseList(IReadOnlyList<BrowseRow> Rows, int Found, int Page, string Until, string Query);

/// <summary>Lists and transactions. They wait for their turn with all other queries of viewers.</summary>
internal sealed class ViewerLists(ViewerQueries queries)
{
    public Task<IResult> ListAsync(HttpRequest request, CancellationToken cancellationToken) =>
        BrowseFilter.Read(request.Query, queries.Now, out var mistakes) is { } filter
            ? queries.AnswerAsync(telemetry => Results.Json(List(telemetry, filter, cancellationToken)), cancellationToken)
            : Task.FromResult(Results.ValidationProblem(mistakes));

    public Task<IResult> TransactionAsync(string? operation, CancellationToken cancellationToken) => operation is { Length: > 0 and <= 200 }
        ? queries.AnswerAsync(telemetry => Transaction(telemetry, operation, cancellationToken), cancellationToken)
        : Task.FromResult(Results.ValidationProblem(
            new Dictionary<string, string[]> { ["operation"] = ["The id of a transaction is expected, as the lists have it."] }));

    private BrowseList List(RunTelemetry telemetry, BrowseFilter filter, CancellationToken cancellationToken)
    {
        var answer = telemetry.Ask(KqlQuery.Parse(filter.Query()), filter.Let, queries.Limits, cancellationToken);
        var rows = AnswerRow.AllOf(answer).Skip(filter.Page * BrowseFilter.RowsOfPage).Take(BrowseFilter.RowsOfPage);
        return new([.. rows.Select(Row)], answer.Rows, filter.Page, BrowsePage.TimeOf((DateTimeOffset)filter.Let["end"]), filter.Text());
    }

    private static BrowseRow Row(AnswerRow row) => new(
        row.Time("timestamp"), row.Text("what"), row.Text("operation_Id"), row.Text("cloud_RoleName"), row.Text("cloud_RoleInstance"),
        row.Text("name"), row.Text("target"), row.Text("resultCode"), row["success"] is false,
        row.Text("what") is "exception" or "trace" ? null : row["duration"] as double?, TraceJson.Cut(row.Text("says")));

    private IResult Transaction(RunTelemetry telemetry, string operation, CancellationToken cancellationToken)
    {
        var let = new Dictionary<string, object>
        {
            ["start"] = DateTimeOffset.UnixEpoch,
            ["end"] = DateTimeOffset.MaxValue, // clocks of senders differ
            [TransactionQuery.Operation] = operation,
        };
        var answer = telemetry.Ask(QueryFile.Read(TransactionQuery.Name), let, queries.Limits, cancellationToken);
        if (Report.Transaction.Of(answer) is not { } found)
            return Results.Problem("No such transaction has arrived.", statusCode: StatusCodes.Status404NotFound);
        var story = DeliveryStory.Of(found, telemetry, queries.Limits, cancellationToken);
        return Results.Text(TraceJson.Of([new("", "", found, story)]), "application/json");
    }
}
