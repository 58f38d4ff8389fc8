namespace DroneDelivery.Telemetry.Query;

/// <summary>A word that may stand behind a pipe or begin a query.</summary>
/// <param name="Help">What it does; null where the language has it and this engine does not.</param>
internal sealed record OperatorEntry(string Name, string? Help)
{
    /// <summary>Reads the step whose name was just read; null when it is no step.</summary>
    public Func<Parser, Token, Operator>? ParseStep { get; init; }

    /// <summary>Reads the source whose name was just read; null when it begins no query.</summary>
    public Func<Parser, Token, Source>? ParseSource { get; init; }
}

/// <summary>Every operator of the language. Keywords, hints, refusals and docs/reference/query-language.md follow from it.</summary>
internal static class OperatorTable
{
    public static readonly IReadOnlyList<OperatorEntry> All =
    [
        Step("where", "keeps the rows for which a condition is true", WhereOperator.Parse),
        Step("filter", "the same as `where`", WhereOperator.Parse),
        Step("extend", "adds columns, or replaces those of the same name", ExtendOperator.Parse),
        Step("project", "chooses and computes the columns", ProjectOperator.Parse),
        Step("project-away", "drops columns; `*` stands for any characters", ChooseColumnsOperator.ParseAway),
        Step("project-keep", "keeps columns; `*` stands for any characters", ChooseColumnsOperator.ParseKeep),
        Step("project-rename", "renames columns: `new = old`", RenameOperator.Parse),
        Step("summarize", "one row per group of rows: `summarize count() by name`", SummarizeOperator.Parse),
        Step("distinct", "each combination of values once", DistinctOperator.Parse),
        Step("count", "the number of rows", CountOperator.Parse),
        Step("take", "that many rows; after `order by` the first", TakeOperator.Parse),
        Step("limit", "the same as `take`", TakeOperator.Parse),
        Step("order", "sorts the rows: `order by duration desc`", SortOperator.Parse),
        Step("sort", "the same as `order`", SortOperator.Parse),
        Step("top", "the first rows of an order: `top 10 by duration`", TopOperator.Parse),
        Step("join", "matches rows of two tables; `kind=inner` or `kind=leftouter` is required", JoinOperator.Parse),
        Step("union", "the rows of several tables; it may begin a query", UnionOperator.Parse) with
        {
            ParseSource = UnionSource.Parse,
        },
        Step("render", "the chart that shows the answer; the last step", RenderOperator.Parse),
        Source("print", "begins a query: one row of values", PrintSource.Parse),
        Source("datatable", "begins a query: rows of values, `datatable(a:long) [1, 2]`", DatatableSource.Parse),
        Source("range", "begins a query: values one after the other, `range n from 1 to 10 step 1`", RangeSource.Parse),
        // What Azure has and this engine does not: reading it explains that.
        NoStep("as"),
        NoStep("consume"),
        NoStep("evaluate"),
        NoStep("facet"),
        NoStep("fork"),
        NoStep("getschema"),
        NoStep("graph-match"),
        NoStep("invoke"),
        NoStep("lookup"),
        NoStep("make-series"),
        NoStep("mv-apply"),
        NoStep("mv-expand"),
        NoStep("parse"),
        NoStep("parse-kv"),
        NoStep("parse-where"),
        NoStep("partition"),
        NoStep("project-reorder"),
        NoStep("reduce"),
        NoStep("sample"),
        NoStep("sample-distinct"),
        NoStep("scan"),
        NoStep("serialize"),
        NoStep("top-hitters"),
        NoStep("top-nested"),
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

    /// <summary>Names of the steps that are served.</summary>
    public static readonly string[] Steps =
    [
        .. Served.Where(entry => entry.ParseStep is not null).Select(entry => entry.Name),
    ];

    /// <summary>Names of what may begin a query instead of a table.</summary>
    public static readonly string[] Sources =
    [
        .. Served.Where(entry => entry.ParseSource is not null).Select(entry => entry.Name),
    ];

    public static IEnumerable<OperatorEntry> Served => All.Where(entry => entry.Help is not null);

    public static OperatorEntry? Find(string name) => ByName.GetValueOrDefault(name);

    /// <summary>Whether a hyphen behind this word goes on with a name: <c>project</c>, <c>mv</c>.</summary>
    public static bool IsFirstPart(string word) =>
        All.Any(entry => entry.Name.StartsWith(word + "-", StringComparison.Ordinal));

    private static OperatorEntry Step(string name, string help, Func<Parser, Token, Operator> parse) =>
        new(name, help) { ParseStep = parse };

    private static OperatorEntry Source(string name, string help, Func<Parser, Token, Source> parse) =>
        new(name, help) { ParseSource = parse };

    private static OperatorEntry NoStep(string name) => new(name, null) { ParseStep = RefuseStep };

    private static Operator RefuseStep(Parser parser, Token name) =>
        throw parser.Tokens.Error(
            name.At,
            $"the operator '{name.Text}' is not supported.",
            $"Supported are {string.Join(", ", Steps)}."
        );

    private static Source RefuseSource(Parser parser, Token name) =>
        throw parser.Tokens.Error(
            name.At,
            $"'{name.Text}' is not supported.",
            $"Begin with the name of a table, or with {string.Join(" or ", Sources)}."
        );
}
