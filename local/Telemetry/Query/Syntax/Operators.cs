namespace DroneDelivery.Telemetry.Query;

/// <summary>A source and what is done to it, step by step.</summary>
internal sealed record Pipeline(Source Source, IReadOnlyList<Operator> Operators);

internal abstract record Source(int At);

/// <summary>A table, or what a <c>let</c> has named.</summary>
internal sealed record NamedSource(int At, string Name) : Source(At);

internal sealed record NestedSource(int At, Pipeline Pipeline) : Source(At);

internal sealed record PrintSource(int At, IReadOnlyList<Named> Columns) : Source(At);

/// <summary><c>union A, B</c> at the beginning of a query.</summary>
internal sealed record UnionSource(int At, UnionOperator Union) : Source(At);

/// <param name="At">Where the operator's name stands.</param>
internal abstract record Operator(int At);

internal sealed record WhereOperator(int At, Expression Predicate) : Operator(At);

internal sealed record ExtendOperator(int At, IReadOnlyList<Named> Columns) : Operator(At);

internal sealed record ProjectOperator(int At, IReadOnlyList<Named> Columns) : Operator(At);

/// <summary><c>project-away</c> and <c>project-keep</c>.</summary>
/// <param name="Patterns">Names, with * for any characters.</param>
internal sealed record SelectColumnsOperator(int At, bool Keep, IReadOnlyList<(int At, string Text)> Patterns) : Operator(At);

internal sealed record RenameOperator(int At, IReadOnlyList<Named> Columns) : Operator(At);

internal sealed record SummarizeOperator(int At, IReadOnlyList<Named> Aggregates, IReadOnlyList<Named> By) : Operator(At);

internal sealed record DistinctOperator(int At, IReadOnlyList<Named> Columns) : Operator(At);

internal sealed record CountOperator(int At) : Operator(At);

internal sealed record TakeOperator(int At, Expression Count) : Operator(At);

internal sealed record SortOperator(int At, IReadOnlyList<SortKey> Keys) : Operator(At);

internal sealed record TopOperator(int At, Expression Count, IReadOnlyList<SortKey> Keys) : Operator(At);

internal sealed record SortKey(Expression Value, bool Ascending, bool NullsFirst);

/// <param name="Kind">As written; null when the query leaves it out.</param>
/// <param name="On">A name that both sides have, or <c>$left.a == $right.b</c>.</param>
internal sealed record JoinOperator(int At, string? Kind, Expression Right, IReadOnlyList<Expression> On) : Operator(At);

/// <param name="SourceColumn">The column that <c>withsource=</c> asks for.</param>
internal sealed record UnionOperator(int At, bool Inner, string? SourceColumn, IReadOnlyList<Expression> Tables) : Operator(At);

internal sealed record RenderOperator(int At, string Chart, IReadOnlyDictionary<string, string> Properties) : Operator(At);

/// <summary><c>let name = value;</c></summary>
internal sealed record Let(int At, string Name, Expression Value);

internal sealed record Script(QueryText Text, IReadOnlyList<Let> Lets, Pipeline Query);
