using System.Globalization;
using System.Text.RegularExpressions;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal sealed partial class Lexer(QueryText query)
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
                "Put long lists into a table, or split the query."
            );
        }
        var lexer = new Lexer(query);
        while (lexer.IsAtToken())
            lexer.ReadToken();
        lexer._tokens.Add(new(TokenKind.End, query.Text.Length, ""));
        return lexer._tokens;
    }

    private char Current => Peek(0);

    private char Peek(int ahead) => _position + ahead < _text.Length ? _text[_position + ahead] : '\0';

    private Match? Take(Regex pattern)
    {
        var match = pattern.Match(_text, _position);
        if (!match.Success)
            return null;
        _position += match.Length;
        return match;
    }

    private bool IsAtToken()
    {
        Take(SpacePattern());
        return _position < _text.Length;
    }

    private void ReadToken()
    {
        var start = _position;
        if (Current is '\'' or '"' || (Current == '@' && Peek(1) is '\'' or '"'))
            AddLiteral(start, ColumnType.String, ReadString());
        else if (Take(NumberPattern()) is { } number)
            AddNumber(start, number.Groups["digits"].Value, number.Groups["unit"].Value);
        else if (Take(WordPattern()) is { } word)
            ReadWord(start, word.Value);
        else if (Current == '[' && (Peek(1) is '\'' or '"') && NameMayBegin())
            ReadQuotedName(start);
        else
            ReadSymbol(start);
    }

    // After a value, a bracket is a property access.
    private bool NameMayBegin() =>
        _tokens.Count == 0
        || (_tokens[^1] is { Kind: TokenKind.Symbol, Text: not ("]" or ")") })
        || (_tokens[^1].Kind == TokenKind.Word && Keywords.MayPrecedeName(_tokens[^1].Text));

    private void ReadWord(int start, string word)
    {
        if (word[0] == '!' && ComparisonTable.Find(word) is null)
            throw query.Error(start, $"'{word}' is not an operator.", $"Write not({word[1..]} …) to negate.");
        if (word is "true" or "false")
            AddLiteral(start, ColumnType.Bool, word == "true");
        else if (TypedLiteral.TypeOf(word) is { } type && _text.AsSpan(_position).TrimStart() is ['(', ..])
            AddLiteral(start, type, ReadTyped(start, word, type));
        else
            _tokens.Add(new(TokenKind.Word, start, word));
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
            $"the character '{Current}' is not valid here.",
            Current switch
            {
                '&' => "Write 'and'.",
                '!' => "Write not(…) to negate, or != to compare.",
                '`' or '\u2018' or '\u2019' or '\u201C' or '\u201D' => "Strings are quoted with ' or \".",
                '#' or '$' => "Names consist of letters, digits, and '_'; others are written ['like this'].",
                _ when char.IsLetter(Current) => $"A name with other letters than a to z is written ['{Word(start)}'].",
                _ => "Remove it.",
            }
        );
    }

    // The whole word around an invalid letter.
    private string Word(int at)
    {
        var from = at;
        var to = at;
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
        var quote = verbatim ? Peek(1) : Current;
        if (Take(TextPattern()) is not { } text)
        {
            throw query.Error(
                start,
                "the string that starts here is not closed on its line.",
                $"Close it with {quote}."
            );
        }
        return verbatim
            ? text.Value[2..^1].Replace($"{quote}{quote}", $"{quote}", StringComparison.Ordinal)
            : EscapePattern().Replace(text.Value[1..^1], escape => Unescaped(start + 1 + escape.Index, escape.Value));
    }

    private string Unescaped(int at, string escape) =>
        escape[1..] switch
        {
            "n" => "\n",
            "t" => "\t",
            "r" => "\r",
            "0" => "\0",
            "\\" or "'" or "\"" => escape[1..],
            "u" or "x" => throw query.Error(
                at,
                $"{(escape[1] == 'u' ? 4 : 2)} hexadecimal digits were expected in the escape sequence.",
                "For example \\u00e9."
            ),
            ['u' or 'x', .. var digits] => $"{(char)int.Parse(digits, NumberStyles.AllowHexSpecifier)}",
            _ => throw query.Error(
                at,
                $"'{escape}' is not an escape sequence.",
                "Write \\\\ for a backslash, or @'…' for a string without escapes."
            ),
        };

    private void AddNumber(int start, string digits, string unit)
    {
        var isHex = digits.StartsWith("0x", StringComparison.OrdinalIgnoreCase);
        var isReal = !isHex && digits.AsSpan().ContainsAny(".eE");
        if (unit.Length > 0)
        {
            AddLiteral(start, ColumnType.TimeSpan, ReadSpan(start, digits, unit));
        }
        else
        {
            AddLiteral(
                start,
                isReal ? ColumnType.Real : ColumnType.Long,
                TypedLiteral.Number(digits, isReal)
                    ?? throw query.Error(
                        start,
                        $"{digits} is out of range for a long (64 bits).",
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
                "Units: d, h, m, s, ms, microsecond, tick. A name cannot begin with a digit."
            );
        }
        return TypedLiteral.Span(digits, ticks)
            ?? throw query.Error(start, $"{digits}{unit} exceeds the longest timespan.", "The maximum is 10675199d.");
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

    private void SkipQuoted(char quote)
    {
        var start = _position++;
        for (; _position < _text.Length && Current != quote; _position++)
        {
            if (Current == '\\')
                _position++;
        }
        if (_position >= _text.Length)
            throw query.Error(start, "the string that starts here is not closed.", $"Close it with {quote}.");
    }

    private void AddLiteral(int start, ColumnType type, object? value) =>
        _tokens.Add(new(TokenKind.Literal, start, _text[start.._position], type, value));

    [GeneratedRegex(@"\G(?>\s+|//[^\n]*)+")]
    private static partial Regex SpacePattern();

    [GeneratedRegex(@"\G(?:!?in~|!?[A-Za-z][A-Za-z0-9_]*|[_$][A-Za-z0-9_]*)")]
    private static partial Regex WordPattern();

    // "1..5" is a range, not a number.
    [GeneratedRegex(
        @"\G(?<digits>0[xX][0-9a-fA-F]*|(?:[0-9]+(?:\.(?![.A-Za-z_$])[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
            + "(?<unit>[A-Za-z0-9_]*)",
        RegexOptions.ExplicitCapture
    )]
    private static partial Regex NumberPattern();

    [GeneratedRegex(
        """
            \G(?:'(?>[^'\\\r\n]|\\[^\r\n])*'|"(?>[^"\\\r\n]|\\[^\r\n])*"|@'(?>(?:[^'\r\n]|'')*)'|@"(?>(?:[^"\r\n]|"")*)")
            """
    )]
    private static partial Regex TextPattern();

    [GeneratedRegex(@"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)")]
    private static partial Regex EscapePattern();
}
