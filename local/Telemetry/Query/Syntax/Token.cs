using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal enum TokenKind
{
    /// <summary>An identifier, a keyword, or an operator that is a word (<c>!has</c>, <c>in~</c>).</summary>
    Word,

    /// <summary><c>['any text']</c>: a name, never a keyword.</summary>
    QuotedName,
    Literal,
    Symbol,
    End,
}

/// <param name="At">The offset in the query.</param>
/// <param name="Text">The word, name, symbol, or source of a literal.</param>
/// <param name="Type">The type of a literal.</param>
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

    /// <summary>The token's representation in an error message.</summary>
    public string Description =>
        Kind switch
        {
            TokenKind.End => "the end of the query",
            TokenKind.Literal when Text.Length > 40 => Text[..40] + "…",
            TokenKind.Literal => Text,
            _ => $"'{Text}'",
        };
}
