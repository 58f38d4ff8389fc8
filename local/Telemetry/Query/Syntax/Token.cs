using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal enum TokenKind
{
    /// <summary>An identifier, keyword, or operator in letters (<c>!has</c>, <c>in~</c>).</summary>
    Word,

    /// <summary><c>['any text']</c>: a name, never a keyword.</summary>
    QuotedName,
    Literal,
    Symbol,
    End,
}

/// <param name="Value">The value of a literal: bool, long (also ticks), double, string, <see cref="Dynamic"/>, or <c>null</c>.</param>
internal readonly record struct Token(
    TokenKind Kind,
    int At,
    string Text,
    ColumnType Type = default,
    object? Value = null
)
{
    public bool Is(string symbolOrWord) => Kind is TokenKind.Symbol or TokenKind.Word && Text == symbolOrWord;

    public string Description =>
        Kind switch
        {
            TokenKind.End => "the end of the query",
            TokenKind.Literal when Text.Length > 40 => Text[..40] + "…",
            TokenKind.Literal => Text,
            _ => $"'{Text}'",
        };
}
