using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Cuts a query into tokens.</summary>
internal sealed class Lexer(QueryText query)
{
    // Longest first.
    private static readonly string[] Symbols =
    [
        .. ComparisonTable
            .All.Select(comparison => comparison.Name)
            .Where(name => !name.Any(char.IsAsciiLetter))
            .Concat(["..", "=>", "(", ")", "[", "]", "{", "}", ",", ";", "|", ".", "=", "+", "-", "*", "/", "%", ":"])
            .OrderByDescending(symbol => symbol.Length),
    ];

    private readonly string _text = query.Text;
    private readonly List<Token> _tokens = [];
    private int _position;

    public static List<Token> Read(QueryText query)
    {
        if (query.Text.Length > QueryText.MaxLength)
        {
            throw query.Error(
                QueryText.MaxLength,
                $"the query is longer than {QueryText.MaxLength} characters.",
                "Put long lists into a table or ask in parts."
            );
        }
        var lexer = new Lexer(query);
        while (lexer.SkipSpace())
            lexer.ReadToken();
        lexer._tokens.Add(new(TokenKind.End, query.Text.Length, ""));
        return lexer._tokens;
    }

    private char Current => Peek(0);

    private char Peek(int ahead) => _position + ahead < _text.Length ? _text[_position + ahead] : '\0';

    private bool SkipSpace()
    {
        while (_position < _text.Length)
        {
            if (char.IsWhiteSpace(Current))
                _position++;
            else if (Current == '/' && Peek(1) == '/')
                _position = _text.IndexOf('\n', _position) is >= 0 and var end ? end : _text.Length;
            else
                break;
        }
        return _position < _text.Length;
    }

    private void ReadToken()
    {
        var start = _position;
        if (Current is '\'' or '"' || (Current == '@' && Peek(1) is '\'' or '"'))
            AddLiteral(start, ColumnType.String, ReadString());
        else if (char.IsAsciiDigit(Current) || (Current == '.' && char.IsAsciiDigit(Peek(1))))
            ReadNumber(start);
        else if (IsWordStart(Current))
            ReadWord(start);
        else if (Current == '!' && char.IsAsciiLetter(Peek(1)))
            ReadNegatedWord(start);
        else if (Current == '[' && (Peek(1) is '\'' or '"') && NameMayBegin())
            ReadQuotedName(start);
        else
            ReadSymbol(start);
    }

    // Behind a value a bracket asks for a member of it.
    private bool NameMayBegin() =>
        _tokens.Count == 0
        || (_tokens[^1] is { Kind: TokenKind.Symbol, Text: not ("]" or ")") })
        || (_tokens[^1].Kind == TokenKind.Word && Keywords.MayPrecedeName(_tokens[^1].Text));

    private void ReadWord(int start)
    {
        var word = TakeWord(start);
        if (word is "true" or "false")
            AddLiteral(start, ColumnType.Bool, word == "true");
        else if (TypedLiteral.TypeOf(word) is { } type && _text.AsSpan(_position).TrimStart() is ['(', ..])
            AddLiteral(start, type, ReadTyped(start, word, type));
        else
            _tokens.Add(new(TokenKind.Word, start, word));
    }

    private void ReadNegatedWord(int start)
    {
        var word = TakeWord(start);
        if (ComparisonTable.Find(word) is null)
            throw query.Error(start, $"'{word}' is not an operator.", $"Write not({word[1..]} …) to negate.");
        _tokens.Add(new(TokenKind.Word, start, word));
    }

    private string TakeWord(int start)
    {
        do
        {
            _position++;
        } while (IsWordPart(Current));
        if (Current == '~' && ComparisonTable.Find(_text[start..(_position + 1)]) is not null)
            _position++;
        return _text[start.._position];
    }

    private void ReadQuotedName(int start)
    {
        _position++;
        var name = ReadString();
        if (Current != ']')
        {
            throw query.Error(
                _position,
                "']' was expected after the quoted name.",
                "A name with spaces is written ['like this']."
            );
        }

        _position++;
        _tokens.Add(new(TokenKind.QuotedName, start, name));
    }

    private void ReadSymbol(int start)
    {
        foreach (var symbol in Symbols)
        {
            if (string.CompareOrdinal(_text, start, symbol, 0, symbol.Length) != 0)
                continue;
            _position += symbol.Length;
            _tokens.Add(new(TokenKind.Symbol, start, symbol));
            if (symbol == "|" && Current == '|')
                throw query.Error(start, "'||' is not an operator.", "Write 'or'.");
            return;
        }
        throw query.Error(
            start,
            $"the character '{Current}' has no meaning here.",
            Current switch
            {
                '&' => "Write 'and'.",
                '!' => "Write not(…) to negate, or != to compare.",
                '`' or '\u2018' or '\u2019' or '\u201C' or '\u201D' => "Texts stand in ' or \".",
                '#' or '$' => "Names consist of letters, digits and '_'; others are written ['like this'].",
                _ when char.IsLetter(Current) => $"A name with other letters than a to z is written ['{Word(start)}'].",
                _ => "Remove it.",
            }
        );
    }

    // The whole of a word of which one letter is no letter to the language.
    private string Word(int at)
    {
        var (from, to) = (at, at);
        while (from > 0 && (char.IsLetterOrDigit(_text[from - 1]) || _text[from - 1] == '_'))
            from--;
        while (to < _text.Length && (char.IsLetterOrDigit(_text[to]) || _text[to] == '_'))
            to++;
        return _text[from..to];
    }

    private string ReadString()
    {
        var start = _position;
        var verbatim = Current == '@';
        if (verbatim)
            _position++;
        var quote = _text[_position++];
        var value = new System.Text.StringBuilder();
        while (true)
        {
            if (_position >= _text.Length || Current is '\n' or '\r')
            {
                throw query.Error(
                    start,
                    "the text that begins here does not end on its line.",
                    $"Close it with {quote}."
                );
            }

            var character = _text[_position++];
            if (character == quote && !(verbatim && Current == quote))
                return value.ToString();
            if (character == quote)
                _position++; // doubled in a verbatim text
            value.Append(character == '\\' && !verbatim ? ReadEscape() : character);
        }
    }

    private char ReadEscape()
    {
        var at = _position - 1;
        return Next() switch
        {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            'u' => ReadCode(at, 4),
            'x' => ReadCode(at, 2),
            var other and ('\\' or '\'' or '"') => other,
            var other => throw query.Error(
                at,
                $"'\\{other}' is not an escape sequence.",
                "Write \\\\ for a backslash, or @'…' for a text without escapes."
            ),
        };
    }

    private char Next() => _position < _text.Length ? _text[_position++] : '\0';

    private char ReadCode(int at, int digits)
    {
        if (
            _position + digits > _text.Length
            || !int.TryParse(
                _text.AsSpan(_position, digits),
                System.Globalization.NumberStyles.AllowHexSpecifier,
                null,
                out var code
            )
        )
        {
            throw query.Error(
                at,
                $"{digits} hexadecimal digits were expected in the escape sequence.",
                "For example \\u00e9."
            );
        }
        _position += digits;
        return (char)code;
    }

    private void ReadNumber(int start)
    {
        var isHex = Current == '0' && Peek(1) is 'x' or 'X';
        if (isHex)
            _position += 2;
        while (isHex ? char.IsAsciiHexDigit(Current) : char.IsAsciiDigit(Current))
            _position++;
        // "1..5" is a range, not a number.
        var isReal = !isHex && Current == '.' && Peek(1) != '.' && !IsWordStart(Peek(1));
        if (isReal)
        {
            do
            {
                _position++;
            } while (char.IsAsciiDigit(Current));
        }
        if (
            !isHex
            && Current is 'e' or 'E'
            && (char.IsAsciiDigit(Peek(1)) || (Peek(1) is '+' or '-' && char.IsAsciiDigit(Peek(2))))
        )
        {
            isReal = true;
            do
            {
                _position++;
            } while (char.IsAsciiDigit(Current) || Current is '+' or '-' && _text[_position - 1] is 'e' or 'E');
        }
        var digits = _text[start.._position];
        while (IsWordPart(Current))
            _position++;
        AddNumber(start, digits, _text[(start + digits.Length).._position], isReal);
    }

    private void AddNumber(int start, string digits, string unit, bool isReal)
    {
        var value = TypedLiteral.Number(digits, isReal);
        if (unit.Length > 0)
        {
            AddLiteral(start, ColumnType.TimeSpan, ReadSpan(start, digits, unit));
        }
        else
        {
            AddLiteral(
                start,
                isReal ? ColumnType.Real : ColumnType.Long,
                value
                    ?? throw query.Error(
                        start,
                        $"{digits} does not fit a long (64 bits).",
                        "Write it with a decimal point to make it a real."
                    )
            );
        }
    }

    private long ReadSpan(int start, string digits, string unit)
    {
        if (TypedLiteral.TicksPer(unit) is not { } ticks)
        {
            throw query.Error(
                start + digits.Length,
                $"'{unit}' is not a unit of time.",
                "Units are d, h, m, s, ms, microsecond and tick; a name cannot begin with a digit."
            );
        }
        return TypedLiteral.Span(digits, ticks)
            ?? throw query.Error(
                start,
                $"{digits}{unit} is longer than a timespan can be.",
                "The longest is 10675199d."
            );
    }

    private object? ReadTyped(int start, string word, ColumnType type)
    {
        while (Current != '(')
            _position++;
        var open = _position++;
        var depth = 1;
        for (; depth > 0; _position++)
        {
            if (_position >= _text.Length)
                throw query.Error(open, $"the parenthesis of {word}( is not closed.", "Add ')'.");
            if (Current is '"' or '\'')
                SkipQuoted(Current);
            else if (Current is '(' or '[' or '{')
                depth++;
            else if (Current is ')' or ']' or '}')
                depth--;
        }
        var inner = _text[(open + 1)..(_position - 1)].Trim();
        return inner is "null" ? null
            : TypedLiteral.Parse(type, inner, out var value) ? value
            : throw query.Error(start, $"'{inner}' is not a {type.KqlName()}.", TypedLiteral.Example(word, type));
    }

    // Leaves the position on the closing quote.
    private void SkipQuoted(char quote)
    {
        var start = _position++;
        for (; _position < _text.Length && Current != quote; _position++)
        {
            if (Current == '\\')
                _position++;
        }
        if (_position >= _text.Length)
            throw query.Error(start, "the text that begins here does not end.", $"Close it with {quote}.");
    }

    private void AddLiteral(int start, ColumnType type, object? value) =>
        _tokens.Add(new(TokenKind.Literal, start, _text[start.._position], type, value));

    private static bool IsWordStart(char character) => char.IsAsciiLetter(character) || character is '_' or '$';

    private static bool IsWordPart(char character) => char.IsAsciiLetterOrDigit(character) || character == '_';
}
