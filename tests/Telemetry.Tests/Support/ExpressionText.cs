using System.Globalization;

namespace DroneDelivery.Telemetry.Tests.Support;

/// <summary>Expressions as a query would be written.</summary>
internal static class ExpressionText
{
    private enum Level { Or, And, Comparison, Sum, Product, Sign, Member }

    /// <summary>With no more parentheses than the grammar needs.</summary>
    public static string Print(Expression expression) => Print(expression, Level.Or);

    private static string Print(Expression expression, Level around)
    {
        var (text, level) = expression switch
        {
            Literal literal => (Print(literal), Level.Member),
            Name name => (name.Text, Level.Member),
            Call call => ($"{call.Function}({Print(call.Arguments)})", Level.Member),
            Negate negate => ($"-{Print(negate.Operand, Level.Sign)}", Level.Sign),
            Binary binary => Print(binary),
            // Comparisons do not chain.
            Compare compare => (
                $"{Print(compare.Left, Level.Sum)} {NameOf(compare.Comparison)} {Print(compare.Right, Level.Sum)}", Level.Comparison),
            InList list => ($"{Print(list.Left, Level.Sum)} {NameOf(list.Comparison)} ({Print(list.Items)})", Level.Comparison),
            InRange range => ($"{Print(range.Value, Level.Sum)} {NameOf(range.Comparison)} "
                + $"({Print(range.Low, Level.Sum)} .. {Print(range.High, Level.Sum)})", Level.Comparison),
            _ => throw new InvalidOperationException(),
        };
        return level < around ? $"({text})" : text;
    }

    private static string NameOf(Comparison comparison) => ComparisonTable.Of(comparison).Name;

    private static string Print(IReadOnlyList<Expression> items) => string.Join(", ", items.Select(item => Print(item, Level.Or)));

    private static (string Text, Level Level) Print(Binary binary)
    {
        var level = binary.Operator switch
        {
            "or" => Level.Or,
            "and" => Level.And,
            "+" or "-" => Level.Sum,
            _ => Level.Product,
        };
        return ($"{Print(binary.Left, level)} {binary.Operator} {Print(binary.Right, level + 1)}", level);
    }

    private static string Print(Literal literal) => (literal.Type, literal.Value) switch
    {
        (_, null) => $"{literal.Type.KqlName()}(null)",
        (ColumnType.String, string text) => $"'{Escape(text)}'",
        (ColumnType.Bool, bool truth) => truth ? "true" : "false",
        (ColumnType.DateTime, long ticks) => $"datetime({new DateTime(ticks, DateTimeKind.Utc):O})",
        (ColumnType.TimeSpan, long ticks) => $"timespan({new TimeSpan(ticks):c})",
        (ColumnType.Real, double real) => $"real({real.ToString("R", CultureInfo.InvariantCulture)})",
        (_, IFormattable number) => number.ToString(null, CultureInfo.InvariantCulture),
        _ => throw new InvalidOperationException(),
    };

    private static string Escape(string text) => text
        .Replace("\\", "\\\\", StringComparison.Ordinal)
        .Replace("'", "\\'", StringComparison.Ordinal)
        .Replace("\n", "\\n", StringComparison.Ordinal);
}
