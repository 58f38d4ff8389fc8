namespace DroneDelivery.Telemetry.Query;

internal abstract class TokenStream(QueryText query)
{
    private readonly List<Token> _tokens = Lexer.Read(query);
    private int _position;

    public Token Current => _tokens[_position];

    public Token Next => _tokens[Math.Min(_position + 1, _tokens.Count - 1)];

    /// <summary><c>true</c> if there is no space before the next token.</summary>
    public bool NextIsAdjacent => Next.At == Current.At + Current.Text.Length;

    public Token Take()
    {
        var token = Current;
        if (token.Kind != TokenKind.End)
            _position++;
        return token;
    }

    public bool Accept(string symbolOrWord)
    {
        if (!Current.Is(symbolOrWord))
            return false;
        _position++;
        return true;
    }

    public Token Expect(string symbolOrWord, string where, string? hint = null) =>
        Current.Is(symbolOrWord) ? Take() : throw Unexpected($"'{symbolOrWord}' {where}", hint);

    public Token ExpectWord(string what, string? hint = null) =>
        Current.Kind is TokenKind.Word or TokenKind.QuotedName ? Take() : throw Unexpected(what, hint);

    /// <summary>Reads a name. Keywords must be quoted.</summary>
    public Token ExpectName(string what, string? hint = null) => ReservedNames.Refuse(ExpectWord(what, hint), this);

    public KqlException Unexpected(string expected, string? hint = null) =>
        Error(Current.At, $"{expected} was expected, not {Current.Description}.", hint);

    public KqlException Error(int at, string reason, string? hint = null) => query.Error(at, reason, hint);

    public List<T> ListOf<T>(Func<T> item)
    {
        var items = new List<T> { item() };
        while (Accept(","))
            items.Add(item());
        return items;
    }
}
