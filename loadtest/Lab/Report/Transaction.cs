using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Report;

/// <summary>One step of a transaction: a request, a call, an exception or a trace.</summary>
internal sealed record Step
{
    /// <summary>How many steps it is inside of.</summary>
    public required int Depth { get; init; }

    /// <summary>Milliseconds since the transaction began.</summary>
    public required double Start { get; init; }

    /// <summary>Milliseconds; null for an exception or a trace.</summary>
    public double? Duration { get; init; }

    /// <summary>request, dependency, exception or trace.</summary>
    public required string Kind { get; init; }

    public required string Role { get; init; }

    public required string Name { get; init; }

    public required string Result { get; init; }

    public required bool Failed { get; init; }

    public required string Message { get; init; }
}

/// <summary>The steps of one transaction, each below the one that it belongs to.</summary>
internal sealed record Transaction(string Operation, IReadOnlyList<Step> Steps)
{
    private static readonly string[] Kinds = ["request", "dependency", "exception", "trace"];

    /// <param name="rows">Of <c>failing-transaction.kql</c> or <c>typical-transaction.kql</c>.</param>
    /// <returns>Null when there is no such transaction.</returns>
    public static Transaction? Of(QueryResult rows)
    {
        var all = Enumerable.Range(0, rows.Rows).Select(row => new Row(rows, row)).ToList();
        if (all.Count == 0)
            return null;
        var ids = all.Select(row => row.Id).Where(id => id.Length > 0).ToHashSet();
        var children = all.Where(row => ids.Contains(row.Parent) && row.Parent != row.Id).ToLookup(row => row.Parent);
        var roots = all.Where(row => !ids.Contains(row.Parent) || row.Parent == row.Id);
        var start = all.Min(row => row.Time);
        return new(all[0].Operation, [.. roots.SelectMany(root => Flatten(root, 0, children, start))]);
    }

    private static IEnumerable<Step> Flatten(Row row, int depth, ILookup<string, Row> children, DateTime start)
    {
        // Exceptions and traces have no id, and so nothing inside of them.
        var inner = children[row.Id.Length == 0 ? "none" : row.Id].OrderBy(child => child.Time);
        return [row.AsStep(depth, start), .. inner.SelectMany(child => Flatten(child, depth + 1, children, start))];
    }

    private sealed class Row(QueryResult rows, int row)
    {
        public DateTime Time => (DateTime)Cell("timestamp")!;

        public string Operation => Text("operation_Id");

        public string Id => Text("id");

        public string Parent => Text("operation_ParentId");

        public Step AsStep(int depth, DateTime start)
        {
            var kind = Kinds[Text("table")[^1] - '0'];
            return new()
            {
                Depth = depth,
                Start = (Time - start).TotalMilliseconds,
                Duration = Cell("duration") is double duration ? duration : null,
                Kind = kind,
                Role = Text("cloud_RoleName"),
                Name = Text("name"),
                Result = Text("resultCode"),
                Failed = kind == "exception" || Cell("success") is false,
                Message = Text("message"),
            };
        }

        private string Text(string column) => Cell(column) as string ?? "";

        private object? Cell(string column) => rows.Column(column).ElementAt(row);
    }
}
