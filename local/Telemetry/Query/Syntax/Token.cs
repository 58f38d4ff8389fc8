using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal enum TokenKind
{
    /// <summary>A word: an identifier, a keyword, or an operator that is spelled like one (<c>!has</c>, <c>in~</c>).</summary>
    Word,

    /// <summary><c>['any text']</c>: a name, never a keyword.</summary>
    QuotedName,
    Literal,
    Symbol,
    End,
}

/// <param name="At">Offset in the query.</param>
/// <param name="Text">The word, name or symbol; for a literal as it was written.</param>
/// <param name="Type">Type of a literal.</param>
/// <param name="Value">Value of a literal: bool, long (also ticks), double, string or <see cref="Dynamic"/>;
/// null for the null of its type.</param>
internal readonly record struct Token(
    TokenKind Kind,
    int At,
    string Text,
    ColumnType Type = default,
    object? Value = null
)
{
    public bool Is(string symbolOrWord) => Kind is TokenKind.Symbol or TokenKind.Word && Text == symbolOrWord;

    /// <summary>As an error message shows it.</summary>
    public string Description =>
        Kind switch
        {
            TokenKind.End => "the end of the query",
            TokenKind.Literal when Text.Length > 40 => Text[..40] + "…",
            TokenKind.Literal => Text,
            _ => $"'{Text}'",
        };
}
