using DroneDelivery.Telemetry.Query;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Lab.Report;

/// <summary>One step of a transaction: a request, a call, an exception, a log line or an event.</summary>
internal sealed record Step
{
    /// <summary>How many steps it is inside of.</summary>
    public required int Depth { get; init; }

    /// <summary>Milliseconds since the transaction began.</summary>
    public required double Start { get; init; }

    /// <summary>Milliseconds; null for an exception or a trace.</summary>
    public double? Duration { get; init; }

    /// <summary>One of <see cref="Transaction.Kinds"/>.</summary>
    public required string Kind { get; init; }

    public required string Role { get; init; }

    /// <summary>Its replica.</summary>
    public string Instance { get; init; } = "";

    public required string Name { get; init; }

    public required string Result { get; init; }

    public required bool Failed { get; init; }

    public required string Message { get; init; }

    /// <summary>Name and value of what else its sender has said of it.</summary>
    public IReadOnlyList<(string Name, string Value)> Attributes { get; init; } = [];

    /// <summary>Of an exception, and of those inside of it; empty for what has none.</summary>
    public string Stack { get; init; } = "";

    /// <summary>Milliseconds since the transaction began.</summary>
    public double End => Start + (Duration ?? 0);
}

/// <summary>The steps of one transaction, each below the one that it belongs to.</summary>
/// <param name="Start">When the first of them began, in UTC.</param>
internal sealed record Transaction(string Operation, DateTime Start, IReadOnlyList<Step> Steps)
{
    /// <summary>In the order of the tables in the query.</summary>
    public static readonly IReadOnlyList<string> Kinds = ["request", "dependency", "exception", "trace", "event"];

    /// <param name="rows">Of <c>transaction.kql</c>.</param>
    /// <returns>Null when there is no such transaction.</returns>
    public static Transaction? Of(QueryResult rows) => AllOf(rows) is [var first, ..] ? first : null;

    /// <param name="rows">Of any number of transactions.</param>
    public static IReadOnlyList<Transaction> AllOf(QueryResult rows) =>
        [.. Enumerable.Range(0, rows.Rows).Select(row => new Row(rows, row)).GroupBy(row => row.Operation).Select(group => Of([.. group]))];

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
                foreach (var child in children[it.Row.Id.Length == 0 ? "none" : it.Row.Id].OrderBy(child => child.Time).Reverse())
                    next.Push((child, it.Depth + 1));
            }
        }
    }

    private sealed class Row(QueryResult rows, int row)
    {
        public DateTime Time { get; } = (DateTime)Cell(rows, row, "timestamp")!;

        public string Operation { get; } = Text(rows, row, "operation_Id");

        public string Id { get; } = Text(rows, row, "id");

        public string Parent { get; } = Text(rows, row, "operation_ParentId");

        public Step AsStep(int depth, DateTime start)
        {
            var kind = Kinds[Text(rows, row, "table")[^1] - '0'];
            return new()
            {
                Depth = depth,
                Start = (Time - start).TotalMilliseconds,
                Duration = Cell(rows, row, "duration") is double duration ? duration : null,
                Kind = kind,
                Role = Text(rows, row, "cloud_RoleName"),
                Instance = Text(rows, row, "cloud_RoleInstance"),
                Name = Text(rows, row, "name"),
                Result = Text(rows, row, "resultCode"),
                Failed = kind == "exception" || Cell(rows, row, "success") is false,
                Message = Text(rows, row, "message"),
                Attributes = [.. StepDetails.Attributes(Json("attributes")), .. StepDetails.Attributes(Json("measures"))],
                Stack = StepDetails.Stack(Json("stack")),
            };
        }

        private Dynamic Json(string column) => Cell(rows, row, column) is Dynamic json ? json : default;

        private static string Text(QueryResult rows, int row, string column) => Cell(rows, row, column) as string ?? "";

        private static object? Cell(QueryResult rows, int row, string column) => rows.Column(column).ElementAt(row);
    }
}
