namespace DroneDelivery.Telemetry.Query;

/// <summary>A word that can follow a pipe or start a query.</summary>
/// <param name="Help">The description; <c>null</c> if the operator isn't supported.</param>
internal sealed record OperatorEntry(string Name, string? Help)
{
    /// <summary>Parses a step after its name; <c>null</c> if the word isn't a step.</summary>
    public Func<Parser, Token, Step>? ParseStep { get; init; }

    /// <summary>Parses a source after its name; <c>null</c> if the word can't start a query.</summary>
    public Func<Parser, Token, Source>? ParseSource { get; init; }
}

/// <summary>All operators, which determine keywords, hints, errors, and docs/reference/query-language.md.</summary>
internal static class OperatorTable
{
    public static readonly IReadOnlyList<OperatorEntry> All =
    [
        Step("where", "keeps the rows for which a condition is true", RowSteps.Where),
        Step("filter", "the same as `where`", RowSteps.Where),
        Step("extend", "adds columns, or replaces those of the same name", ColumnSteps.Extend),
        Step("project", "selects and computes columns", ColumnSteps.Project),
        Step("project-away", "removes columns; `*` is a wildcard", ColumnSteps.ProjectAway),
        Step("project-keep", "keeps columns; `*` is a wildcard", ColumnSteps.ProjectKeep),
        Step("project-rename", "renames columns: `new = old`", ColumnSteps.Rename),
        Step("summarize", "returns one row per group of rows: `summarize count() by name`", RowSteps.Summarize),
        Step("distinct", "returns distinct combinations of values", RowSteps.Distinct),
        Step("count", "returns the number of rows", RowSteps.Count),
        Step("take", "returns the given number of rows; after `order by`, the first ones", RowSteps.Take),
        Step("limit", "the same as `take`", RowSteps.Take),
        Step("order", "sorts the rows: `order by duration desc`", RowSteps.Order),
        Step("sort", "the same as `order`", RowSteps.Order),
        Step("top", "returns the first rows in the given sort order: `top 10 by duration`", RowSteps.Top),
        Step("join", "matches rows of two tables; `kind=inner` or `kind=leftouter` is required", Join.Parse),
        Step("union", "combines the rows of several tables; can start a query", Union.ParseStep) with
        {
            ParseSource = Union.ParseSource,
        },
        Step("render", "renders the result as a chart; must be the last step", Render.Parse),
        Source("print", "starts a query: one row of values", Print.Parse),
        Source("datatable", "starts a query: rows of values, `datatable(a:long) [1, 2]`", Datatable.Parse),
        Source("range", "starts a query: consecutive values, `range n from 1 to 10 step 1`", NumberRange.Parse),
        // Operators that only Azure supports.
        .. "as consume evaluate facet fork getschema graph-match invoke lookup make-series mv-apply mv-expand parse parse-kv parse-where"
            .Split(' ')
            .Select(NoStep),
        .. "partition project-reorder reduce sample sample-distinct scan serialize top-hitters top-nested"
            .Split(' ')
            .Select(NoStep),
        NoStep("find") with
        {
            ParseSource = RefuseSource,
        },
        NoStep("search") with
        {
            ParseSource = RefuseSource,
        },
    ];

    private static readonly Dictionary<string, OperatorEntry> ByName = All.ToDictionary(entry => entry.Name);

    public static readonly string[] Steps =
    [
        .. Supported.Where(entry => entry.ParseStep is not null).Select(entry => entry.Name),
    ];

    /// <summary>The names that can start a query instead of a table.</summary>
    public static readonly string[] Sources =
    [
        .. Supported.Where(entry => entry.ParseSource is not null).Select(entry => entry.Name),
    ];

    public static IEnumerable<OperatorEntry> Supported => All.Where(entry => entry.Help is not null);

    public static OperatorEntry? Find(string name) => ByName.GetValueOrDefault(name);

    /// <summary>Determines whether a hyphen continues the name after this word: <c>project</c>, <c>mv</c>.</summary>
    public static bool IsFirstPart(string word) =>
        All.Any(entry => entry.Name.StartsWith(word + "-", StringComparison.Ordinal));

    private static OperatorEntry Step(string name, string help, Func<Parser, Token, Step> parse) =>
        new(name, help) { ParseStep = parse };

    private static OperatorEntry Source(string name, string help, Func<Parser, Token, Source> parse) =>
        new(name, help) { ParseSource = parse };

    private static OperatorEntry NoStep(string name) => new(name, null) { ParseStep = RefuseStep };

    private static Step RefuseStep(Parser parser, Token name) =>
        throw parser.Error(
            name.At,
            $"the operator '{name.Text}' is not supported.",
            $"Supported: {string.Join(", ", Steps)}."
        );

    private static Source RefuseSource(Parser parser, Token name) =>
        throw parser.Error(
            name.At,
            $"'{name.Text}' is not supported.",
            $"Begin with the name of a table, or with {string.Join(" or ", Sources)}."
        );
}
