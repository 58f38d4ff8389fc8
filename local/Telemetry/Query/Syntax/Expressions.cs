using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>A parsed expression with unresolved names.</summary>
internal abstract record Expression(int At);

/// <param name="Value">A bool, long (also ticks), double, string, <see cref="Dynamic"/>, or <c>null</c>.</param>
internal sealed record Literal(int At, ColumnType Type, object? Value) : Expression(At);

internal sealed record Name(int At, string Text) : Expression(At);

/// <summary><c>target.member</c> or <c>target["member"]</c>.</summary>
internal sealed record Member(int At, Expression Target, string Key) : Expression(At);

/// <param name="Arguments">The arguments, with a <see cref="Star"/> or a <see cref="Tabular"/> if the function accepts one.</param>
internal sealed record Call(int At, string Function, IReadOnlyList<Expression> Arguments) : Expression(At);

/// <summary>An operator and its operands: <c>a + b</c>, <c>-a</c>, <c>a == b</c>, <c>a and b</c>, <c>a[0]</c>.</summary>
internal sealed record Operation(int At, Function Function, IReadOnlyList<Expression> Operands) : Expression(At);

/// <summary><c>in</c> and its variants.</summary>
internal sealed record InList(int At, ComparisonEntry Comparison, Expression Left, IReadOnlyList<Expression> Items)
    : Expression(At);

/// <summary><c>between (low .. high)</c>, <c>!between (low .. high)</c>.</summary>
internal sealed record InRange(int At, ComparisonEntry Comparison, Expression Value, Expression Low, Expression High)
    : Expression(At);

internal sealed record Star(int At) : Expression(At);

/// <summary>A query in place of a value: <c>in (T | project x)</c>, <c>toscalar(T | …)</c>, <c>join (T | …)</c>.</summary>
internal sealed record Tabular(int At, Pipeline Pipeline) : Expression(At);

/// <summary><c>name = value</c>, or a value with a derived name.</summary>
internal sealed record Named(int At, string? Name, Expression Value);
