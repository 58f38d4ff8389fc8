using System.Globalization;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Query;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Report;

/// <summary>What a viewer asks to see.</summary>
/// <param name="Let">Values of let statements of <c>browse.kql</c>.</param>
/// <param name="Slowest">Whether the longest come first, and not the newest.</param>
/// <param name="Page">From 0.</param>
internal sealed record BrowseFilter(IReadOnlyDictionary<string, object> Let, bool Slowest, int Page)
{
    public const int RowsOfPage = 100,
        Pages = 10;

    /// <summary>Parameter → the let statement that it sets.</summary>
    private static readonly Dictionary<string, string> Texts = new()
    {
        ["list"] = "chosen",
        ["service"] = "service",
        ["name"] = "named",
        ["code"] = "code",
        ["outcome"] = "outcome",
        ["text"] = "words",
    };

    private static readonly string[] Others = ["order", "over", "from", "to", "page"];

    private static readonly Dictionary<string, string[]> Choices = new()
    {
        ["list"] = ["failures", "requests", "calls", "deliveries", "logs"],
        ["outcome"] = ["", "failed", "succeeded"],
        ["order"] = ["", "newest", "slowest"],
    };

    private const int LongestText = 200;

    /// <param name="now">Where the list ends, unless the request says.</param>
    /// <param name="mistakes">Parameter → what is wrong with it.</param>
    /// <returns>Null where anything is wrong.</returns>
    public static BrowseFilter? Read(
        IQueryCollection query,
        DateTimeOffset now,
        out Dictionary<string, string[]> mistakes
    )
    {
        var asked = new Asked(query, []);
        foreach (var name in query.Keys.Where(name => !Texts.ContainsKey(name) && !Others.Contains(name)))
            asked.Mistakes[name] = ["There is no such filter."];
        var let = Texts.ToDictionary(
            text => text.Value,
            text => (object)asked.Text(text.Key, text.Key == "list" ? "failures" : "")
        );
        let["over"] = asked.Number("over", 1e9);
        let["start"] = asked.Time("from", DateTimeOffset.UnixEpoch);
        let["end"] = asked.Time("to", now);
        var (order, page) = (asked.Text("order", ""), (int)asked.Number("page", Pages - 1));
        mistakes = asked.Mistakes;
        return mistakes.Count == 0 ? new(let, order == "slowest", page) : null;
    }

    public string Query()
    {
        var text = QueryFile.Text("browse");
        return Slowest ? text.Replace("by timestamp desc", "by duration desc", StringComparison.Ordinal) : text;
    }

    /// <summary>The same to be read and pasted, with its values.</summary>
    public string Text() => LetText.With(Query(), Let).Trim();

    /// <summary>The parameters of a request, each read as what it has to be.</summary>
    /// <param name="Mistakes">Parameter → what is wrong with it.</param>
    private sealed record Asked(IQueryCollection Query, Dictionary<string, string[]> Mistakes)
    {
        public string Text(string name, string otherwise)
        {
            var text = Query[name] is [{ Length: > 0 } one] ? one : otherwise;
            if (Query[name].Count > 1 || text.Length > LongestText || text.Any(char.IsControl))
            {
                Mistakes[name] = [$"One text of at most {LongestText} characters in one line is expected."];
            }
            else if (Choices.TryGetValue(name, out var choices) && !choices.Contains(text))
            {
                Mistakes[name] =
                [
                    $"Expected is one of: {string.Join(", ", choices.Where(choice => choice.Length > 0))}.",
                ];
            }

            return text;
        }

        public double Number(string name, double most)
        {
            var text = Text(name, "0");
            if (
                double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var it)
                && it >= 0
                && it <= most
            )
            {
                return it;
            }

            Mistakes[name] = [$"A number from 0 to {most:0} is expected."];
            return 0;
        }

        public DateTimeOffset Time(string name, DateTimeOffset otherwise)
        {
            const DateTimeStyles Utc = DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal;
            var text = Text(name, "");
            if (text.Length == 0)
                return otherwise;
            if (
                DateTimeOffset.TryParseExact(
                    text,
                    "yyyy-MM-ddTHH:mm:ss.fff'Z'",
                    CultureInfo.InvariantCulture,
                    Utc,
                    out var time
                )
            )
            {
                return time;
            }

            Mistakes[name] = ["A time such as 2030-01-31T12:00:00.000Z is expected."];
            return otherwise;
        }
    }
}

/// <param name="What">request, dependency, exception, delivery or trace.</param>
/// <param name="Ms">Null for an exception and a log line.</param>
internal sealed record BrowseRow(
    DateTime At,
    string What,
    string Operation,
    string Service,
    string Instance,
    string Name,
    string Target,
    string Result,
    bool Failed,
    double? Ms,
    string Says
);

/// <param name="Found">Rows that match, at most one more than all pages have.</param>
/// <param name="Until">Where the list ends: the next page asks with it, so that what begins meanwhile moves nothing.</param>
internal sealed record BrowseList(IReadOnlyList<BrowseRow> Rows, int Found, int Page, string Until, string Query);

/// <summary>Lists and transactions. They wait for their turn with all other queries of viewers.</summary>
internal sealed class ViewerLists(ViewerQueries queries)
{
    public Task<IResult> ListAsync(HttpRequest request, CancellationToken cancellationToken) =>
        BrowseFilter.Read(request.Query, queries.Now, out var mistakes) is { } filter
            ? queries.AnswerAsync(
                telemetry => Results.Json(List(telemetry, filter, cancellationToken)),
                cancellationToken
            )
            : Task.FromResult(Results.ValidationProblem(mistakes));

    public Task<IResult> TransactionAsync(string? operation, CancellationToken cancellationToken) =>
        operation is { Length: > 0 and <= 200 }
            ? queries.AnswerAsync(telemetry => Transaction(telemetry, operation, cancellationToken), cancellationToken)
            : Task.FromResult(
                Results.ValidationProblem(
                    new Dictionary<string, string[]>
                    {
                        ["operation"] = ["The id of a transaction is expected, as the lists have it."],
                    }
                )
            );

    private BrowseList List(RunTelemetry telemetry, BrowseFilter filter, CancellationToken cancellationToken)
    {
        var answer = telemetry.Ask(KqlQuery.Parse(filter.Query()), filter.Let, queries.Limits, cancellationToken);
        var rows = AnswerRow.AllOf(answer).Skip(filter.Page * BrowseFilter.RowsOfPage).Take(BrowseFilter.RowsOfPage);
        return new(
            [.. rows.Select(Row)],
            answer.Rows,
            filter.Page,
            BrowsePage.TimeOf((DateTimeOffset)filter.Let["end"]),
            filter.Text()
        );
    }

    private static BrowseRow Row(AnswerRow row) =>
        new(
            row.Time("timestamp"),
            row.Text("what"),
            row.Text("operation_Id"),
            row.Text("cloud_RoleName"),
            row.Text("cloud_RoleInstance"),
            row.Text("name"),
            row.Text("target"),
            row.Text("resultCode"),
            row["success"] is false,
            row.Text("what") is "exception" or "trace" ? null : row["duration"] as double?,
            TraceJson.Cut(row.Text("says"))
        );

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
