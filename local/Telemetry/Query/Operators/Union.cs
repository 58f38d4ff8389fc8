using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary><c>union kind=inner withsource=NAME TABLE, …</c></summary>
internal sealed record Union(int At, bool Inner, string? SourceColumn, IReadOnlyList<Expression> Tables)
{
    public static Step ParseStep(Parser parser, Token name)
    {
        var union = Parse(parser, name);
        return (source, binder) => union.Bind([(source, "union_arg0")], binder);
    }

    public static Source ParseSource(Parser parser, Token name)
    {
        var union = Parse(parser, name);
        return binder => union.Bind([], binder);
    }

    private static Union Parse(Parser parser, Token name)
    {
        var kind = parser.ParseOption("kind")?.Text;
        var source = parser.ParseOption("withsource") is { } column ? ReservedNames.Refuse(column, parser).Text : null;
        kind ??= parser.ParseOption("kind")?.Text;
        if (kind is not (null or "inner" or "outer"))
            throw parser.Error(name.At, $"union has no kind '{kind}'.", "Write kind=inner or kind=outer.");
        return new(name.At, kind == "inner", source, parser.ListOf(() => parser.ParseTable("a table")));
    }

    /// <param name="sources">The rows before the pipe; empty if union starts the query.</param>
    private UnionPlan Bind(List<(Plan Plan, string Name)> sources, QueryBinder binder)
    {
        foreach (var table in Tables)
            sources.Add((binder.BindTable(table), table is Name name ? name.Text : $"union_arg{sources.Count}"));
        var inSources = Inner
            ? sources[0]
                .Plan.Columns.Where(column =>
                    sources.TrueForAll(each => each.Plan.Columns.Any(other => other.Name == column.Name))
                )
            : sources.SelectMany(each => each.Plan.Columns).DistinctBy(column => column.Name);
        var names = new ColumnNames(binder.Text);
        var columns = inSources.ToList();
        if (SourceColumn is not null)
            names.AddDerived(SourceColumn, ColumnType.String);
        foreach (var column in columns)
            names.AddDerived(column.Name, column.Type);
        return new(
            [.. sources.Select(each => each.Plan)],
            [.. sources.Select(each => Map(each.Plan, each.Name, columns, binder))],
            names.Columns,
            SourceColumn is null ? null : [.. sources.Select(each => each.Name)]
        );
    }

    private int[] Map(Plan plan, string table, List<ColumnSchema> columns, QueryBinder binder)
    {
        var own = new Dictionary<string, int>();
        for (var i = 0; i < plan.Columns.Count; i++)
            own.TryAdd(plan.Columns[i].Name, i);
        return
        [
            .. columns.Select(column => own.TryGetValue(column.Name, out var index) ? SameType(column, index) : -1),
        ];

        int SameType(ColumnSchema column, int index) =>
            plan.Columns[index].Type == column.Type
                ? index
                : throw binder.Error(
                    At,
                    $"'{column.Name}' is {column.Type.KqlName()} in one table "
                        + $"and {plan.Columns[index].Type.KqlName()} in {table}.",
                    "Convert or rename one of them before the union."
                );
    }
}
