using System.Globalization;
using System.Text;

namespace DroneDelivery.LocalServiceBus.Entities.Rules;

internal enum SqlTokenKind
{
    Word,

    /// <summary>A name in brackets or quotes, which is no keyword.</summary>
    Name,
    Constant,
    Sign,
    End,
}

/// <param name="Kind">What it is.</param>
/// <param name="Text">As written; of a name: what is between its signs.</param>
/// <param name="Value">Of a constant.</param>
/// <param name="Position">From 1.</param>
internal readonly record struct SqlToken(SqlTokenKind Kind, string Text, object? Value, int Position)
{
    public bool Is(string word) => Kind is SqlTokenKind.Word or SqlTokenKind.Sign && Text.Equals(word, StringComparison.OrdinalIgnoreCase);
}

/// <summary>Cuts a filter or an action into words, names, constants and signs.</summary>
internal sealed class SqlTokens(string text)
{
    private static readonly string[] LongSigns = ["<>", "!=", "<=", ">="];

    // Without its sign the smallest long is larger than the largest.
    private const string BehindLong = "9223372036854775808";

    private int _at;

    /// <exception cref="SqlException">Something that no grammar begins with.</exception>
    public static List<SqlToken> Of(string text)
    {
        var tokens = new SqlTokens(text);
        var all = new List<SqlToken>();
        do
            all.Add(tokens.Next());
        while (all[^1].Kind != SqlTokenKind.End);
        return all;
    }

    private SqlToken Next()
    {
        while (_at < text.Length && char.IsWhiteSpace(text[_at]))
            _at++;
        var start = _at;
        if (_at == text.Length)
            return new(SqlTokenKind.End, "the end", null, start + 1);
        var first = text[_at];
        if (char.IsLetter(first) || first == '_')
            return Word(start);
        if (char.IsAsciiDigit(first) || (first == '.' && _at + 1 < text.Length && char.IsAsciiDigit(text[_at + 1])))
            return Number(start);
        return first switch
        {
            '\'' => Quoted(SqlTokenKind.Constant, '\''),
            '"' => Quoted(SqlTokenKind.Name, '"'),
            '[' => Quoted(SqlTokenKind.Name, ']'),
            _ => Sign(start),
        };
    }

    private SqlToken Word(int start)
    {
        while (_at < text.Length && (char.IsLetterOrDigit(text[_at]) || text[_at] == '_'))
            _at++;
        return new(SqlTokenKind.Word, text[start.._at], null, start + 1);
    }

    private SqlToken Number(int start)
    {
        SkipDigits();
        var isWhole = !(TakeAny(".") | TakeExponent());
        var written = text[start.._at];
        object? value = null;
        if (isWhole && long.TryParse(written, NumberStyles.None, CultureInfo.InvariantCulture, out var whole))
            value = whole;
        else if (isWhole && written == BehindLong)
            value = decimal.Parse(written, CultureInfo.InvariantCulture);
        else if (!isWhole && double.TryParse(written, NumberStyles.Float, CultureInfo.InvariantCulture, out var number))
            value = number;
        return value is not null
            ? new(SqlTokenKind.Constant, written, value, start + 1)
            : throw new SqlException($"'{Excerpt.Of(written)}' is no number that fits", start + 1);
    }

    private bool TakeExponent()
    {
        if (_at >= text.Length || text[_at] is not ('e' or 'E'))
            return false;
        _at++;
        if (!TakeAny("+-"))
            SkipDigits();
        return true;
    }

    /// <summary>With the digits behind it.</summary>
    private bool TakeAny(string signs)
    {
        if (_at >= text.Length || !signs.Contains(text[_at], StringComparison.Ordinal))
            return false;
        _at++;
        SkipDigits();
        return true;
    }

    private void SkipDigits()
    {
        while (_at < text.Length && char.IsAsciiDigit(text[_at]))
            _at++;
    }

    /// <summary>Up to the closing sign; two of them in a row are one that belongs to the text.</summary>
    private SqlToken Quoted(SqlTokenKind kind, char close)
    {
        var start = _at++;
        var content = new StringBuilder();
        while (_at < text.Length)
        {
            var character = text[_at++];
            if (character != close)
                content.Append(character);
            else if (_at < text.Length && text[_at] == close)
                content.Append(text[_at++]);
            else
                return new(kind, content.ToString(), kind == SqlTokenKind.Constant ? content.ToString() : null, start + 1);
        }
        throw new SqlException($"the {close} that closes it is missing", start + 1);
    }

    private SqlToken Sign(int start)
    {
        var sign = LongSigns.FirstOrDefault(two => string.CompareOrdinal(text, start, two, 0, 2) == 0) ?? text[start].ToString();
        if (sign.Length == 1 && !"()+-*/%=<>.,;@".Contains(sign[0], StringComparison.Ordinal))
            throw new SqlException($"'{sign}' is not expected", start + 1);
        _at += sign.Length;
        return new(SqlTokenKind.Sign, sign, null, start + 1);
    }
}

/// <summary>A filter or an action that is none.</summary>
/// <param name="why">As the end of a sentence.</param>
/// <param name="position">Of the first character that is wrong, from 1.</param>
internal sealed class SqlException(string why, int position) : Exception($"At position {position}: {why}.")
{
    public int Position => position;
}
