using System.Text.Json;
using DroneDelivery.Telemetry.Query;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Lab.Report;

/// <summary>One step of a transaction: a request, a call, an exception, a log line or an event.</summary>
/// <param name="Depth">How many steps it is inside of.</param>
/// <param name="Start">Milliseconds since the transaction began.</param>
/// <param name="Duration">Milliseconds; null for an exception or a trace.</param>
/// <param name="Kind">One of <see cref="Transaction.Kinds"/>.</param>
/// <param name="Instance">Its replica.</param>
/// <param name="Attributes">What else its sender has said of it.</param>
/// <param name="Stack">Of an exception, and of those inside of it; empty for what has none.</param>
internal sealed record Step(
    int Depth,
    double Start,
    double? Duration,
    string Kind,
    string Role,
    string Instance,
    string Name,
    string Result,
    bool Failed,
    string Message,
    IReadOnlyList<(string Name, string Value)> Attributes,
    string Stack
)
{
    public double End => Start + (Duration ?? 0);
}

/// <summary>The steps of one transaction, each below the one that it belongs to.</summary>
/// <param name="Start">When the first of them began, in UTC.</param>
internal sealed record Transaction(string Operation, DateTime Start, IReadOnlyList<Step> Steps)
{
    /// <summary>In the order of the tables in the query.</summary>
    public static readonly string[] Kinds = ["request", "dependency", "exception", "trace", "event"];

    public static Transaction? Of(QueryResult rows) => AllOf(rows) is [var first, ..] ? first : null;

    public static IReadOnlyList<Transaction> AllOf(QueryResult rows) =>
        [
            .. AnswerRow
                .AllOf(rows)
                .Select(row => new Row(row))
                .GroupBy(row => row.Operation)
                .Select(group => Of([.. group])),
        ];

    private static Transaction Of(List<Row> all)
    {
        var ids = all.Select(row => row.Id).Where(id => id.Length > 0).ToHashSet();
        var children = all.Where(row => ids.Contains(row.Parent) && row.Parent != row.Id).ToLookup(row => row.Parent);
        var roots = all.Where(row => !ids.Contains(row.Parent) || row.Parent == row.Id);
        var (start, steps, seen) = (all.Min(row => row.Time), new List<Step>(), new HashSet<Row>());
        // What is in a circle of parents is inside of nothing: it comes last.
        foreach (var root in roots.Concat(all))
            Add(root);
        return new(all[0].Operation, start, steps);

        // Each once, although ids may be there twice. However deep they are: a call for each would end the process.
        void Add(Row root)
        {
            var next = new Stack<(Row Row, int Depth)>([(root, 0)]);
            while (next.TryPop(out var it))
            {
                if (!seen.Add(it.Row))
                    continue;
                steps.Add(it.Row.AsStep(it.Depth, start));
                // Exceptions and traces have no id, and so nothing inside of them. The earliest is on top.
                foreach (
                    var child in children[it.Row.Id.Length == 0 ? "none" : it.Row.Id]
                        .OrderBy(child => child.Time)
                        .Reverse()
                )
                {
                    next.Push((child, it.Depth + 1));
                }
            }
        }
    }

    private sealed class Row(AnswerRow row)
    {
        public DateTime Time { get; } = row.Time("timestamp");

        public string Operation { get; } = row.Text("operation_Id");

        public string Id { get; } = row.Text("id");

        public string Parent { get; } = row.Text("operation_ParentId");

        public Step AsStep(int depth, DateTime start)
        {
            var kind = Kinds[row.Text("table")[^1] - '0'];
            return new(
                depth,
                (Time - start).TotalMilliseconds,
                row["duration"] as double?,
                kind,
                row.Text("cloud_RoleName"),
                row.Text("cloud_RoleInstance"),
                row.Text("name"),
                row.Text("resultCode"),
                kind == "exception" || row["success"] is false,
                row.Text("message"),
                [.. StepDetails.Attributes(Json("attributes")), .. StepDetails.Attributes(Json("measures"))],
                StepDetails.Stack(Json("stack"))
            );
        }

        private Dynamic Json(string column) => row[column] is Dynamic json ? json : default;
    }
}

/// <summary>What Application Insights keeps of a step as JSON: attributes, measurements, and the stacks of an exception.</summary>
internal static class StepDetails
{
    private static readonly JsonDocumentOptions Deep = new() { MaxDepth = 256 };

    public static IReadOnlyList<(string Name, string Value)> Attributes(Dynamic json)
    {
        if (json.Kind != JsonValueKind.Object)
            return [];
        using var document = JsonDocument.Parse(json.Json, Deep);
        return [.. document.RootElement.EnumerateObject().Select(member => (member.Name, member.Value.ToString()))];
    }

    /// <param name="details">The chain of exceptions from the outermost to the innermost.</param>
    public static string Stack(Dynamic details)
    {
        if (details.Kind != JsonValueKind.Array)
            return "";
        using var document = JsonDocument.Parse(details.Json, Deep);
        return string.Join(
            '\n',
            document
                .RootElement.EnumerateArray()
                .Where(exception => exception.ValueKind == JsonValueKind.Object)
                .Select(exception =>
                    string.Join(
                        '\n',
                        [$"{Text(exception, "typeName")}: {Text(exception, "message")}", .. Frames(exception)]
                    )
                )
        );
    }

    private static IEnumerable<string> Frames(JsonElement exception) =>
        exception.TryGetProperty("parsedStack", out var stack) && stack.ValueKind == JsonValueKind.Array
            ? stack.EnumerateArray().Where(frame => frame.ValueKind == JsonValueKind.Object).Select(Frame)
        : Text(exception, "stack") is { Length: > 0 } text ? [text]
        : [];

    private static string Frame(JsonElement frame)
    {
        var (file, line) = (Text(frame, "fileName"), Text(frame, "line"));
        return $"   at {Text(frame, "method")}{(file.Length == 0 ? "" : $" in {file}:{line}")}";
    }

    private static string Text(JsonElement element, string name) =>
        element.TryGetProperty(name, out var value) ? value.ToString() : "";
}
