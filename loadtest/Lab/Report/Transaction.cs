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
    public static readonly string[] Kinds = ["request", "dependency", "exception", "trace", "event"];

    /// <returns>Null when there is no such transaction.</returns>
    public static Transaction? Of(QueryResult rows) => AllOf(rows) is [var first, ..] ? first : null;

    public static IReadOnlyList<Transaction> AllOf(QueryResult rows) =>
        [.. AnswerRow.AllOf(rows).Select(row => new Row(row)).GroupBy(row => row.Operation).Select(group => Of([.. group]))];

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

    private sealed class Row(AnswerRow row)
    {
        public DateTime Time { get; } = row.Time("timestamp");

        public string Operation { get; } = row.Text("operation_Id");

        public string Id { get; } = row.Text("id");

        public string Parent { get; } = row.Text("operation_ParentId");

        public Step AsStep(int depth, DateTime start)
        {
            var kind = Kinds[row.Text("table")[^1] - '0'];
            return new()
            {
                Depth = depth,
                Start = (Time - start).TotalMilliseconds,
                Duration = row["duration"] as double?,
                Kind = kind,
                Role = row.Text("cloud_RoleName"),
                Instance = row.Text("cloud_RoleInstance"),
                Name = row.Text("name"),
                Result = row.Text("resultCode"),
                Failed = kind == "exception" || row["success"] is false,
                Message = row.Text("message"),
                Attributes = [.. StepDetails.Attributes(Json("attributes")), .. StepDetails.Attributes(Json("measures"))],
                Stack = StepDetails.Stack(Json("stack")),
            };
        }

        private Dynamic Json(string column) => row[column] is Dynamic json ? json : default;
    }
}
