using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>What a query says, as written: nothing is resolved yet.</summary>
/// <param name="At">Offset in the query.</param>
internal abstract record Expression(int At);

/// <param name="Value">bool, long (also ticks), double, string or <see cref="Dynamic"/>; null for the null of its type.</param>
internal sealed record Literal(int At, ColumnType Type, object? Value) : Expression(At);

internal sealed record Name(int At, string Text) : Expression(At);

/// <summary><c>target.member</c> or <c>target["member"]</c>.</summary>
internal sealed record Member(int At, Expression Target, string Key) : Expression(At);

/// <param name="Arguments">May hold a <see cref="Star"/> or a <see cref="Tabular"/> where the function takes one.</param>
internal sealed record Call(int At, string Function, IReadOnlyList<Expression> Arguments) : Expression(At);

/// <summary>An operator and its operands: <c>a + b</c>, <c>-a</c>, <c>a == b</c>, <c>a and b</c>, <c>a[0]</c>.</summary>
/// <param name="At">Where the operator stands.</param>
internal sealed record Operation(int At, Function Function, IReadOnlyList<Expression> Operands) : Expression(At);

/// <summary><c>in</c> and its kin.</summary>
/// <param name="At">Where the comparison stands.</param>
internal sealed record InList(int At, ComparisonEntry Comparison, Expression Left, IReadOnlyList<Expression> Items)
    : Expression(At);

/// <summary><c>between (low .. high)</c>, <c>!between (low .. high)</c>.</summary>
/// <param name="At">Where the comparison stands.</param>
internal sealed record InRange(int At, ComparisonEntry Comparison, Expression Value, Expression Low, Expression High)
    : Expression(At);

internal sealed record Star(int At) : Expression(At);

/// <summary>A query where a value may stand: <c>in (T | project x)</c>, <c>toscalar(T | …)</c>, <c>join (T | …)</c>.</summary>
internal sealed record Tabular(int At, Pipeline Pipeline) : Expression(At);

/// <summary><c>name = value</c>, or a value that gets its name from what it is.</summary>
internal sealed record Named(int At, string? Name, Expression Value);
