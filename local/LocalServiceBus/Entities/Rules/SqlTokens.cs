using System.Globalization;
using System.Text.RegularExpressions;

namespace DroneDelivery.LocalServiceBus.Entities.Rules;

internal enum SqlTokenKind
{
    Word,

    /// <summary>A name in brackets or quotes, which is never a keyword.</summary>
    Name,
    Constant,
    Sign,
    End,
}

/// <param name="Text">The text as written; for a name, the part inside the delimiters.</param>
internal readonly record struct SqlToken(SqlTokenKind Kind, string Text, object? Value, int Position)
{
    public bool Is(string word) =>
        Kind is not (SqlTokenKind.Name or SqlTokenKind.Constant)
        && Text.Equals(word, StringComparison.OrdinalIgnoreCase);
}

internal static partial class SqlTokens
{
    public const string End = "the end";

    // The absolute value of the smallest long, which isn't a valid long without its sign.
    private const string BeyondLong = "9223372036854775808";

    public static List<SqlToken> Of(string text)
    {
        var tokens = new List<SqlToken>();
        for (var at = Skip(text, 0); at < text.Length; )
        {
            var match = Token().Match(text, at);
            tokens.Add(match.Success ? Read(match) : throw Unreadable(text[at], at + 1));
            at = Skip(text, at + match.Length);
        }
        tokens.Add(new(SqlTokenKind.End, End, null, text.Length + 1));
        return tokens;
    }

    private static int Skip(string text, int at)
    {
        while (at < text.Length && char.IsWhiteSpace(text[at]))
            at++;
        return at;
    }

    private static SqlToken Read(Match match)
    {
        var (written, position) = (match.Value, match.Index + 1);
        if (match.Groups["word"].Success)
        {
            return bool.TryParse(written, out var truth)
                ? new(SqlTokenKind.Constant, written, truth, position)
                : new(SqlTokenKind.Word, written, null, position);
        }
        if (match.Groups["number"].Success)
            return new(SqlTokenKind.Constant, written, Number(written, position), position);
        if (match.Groups["sign"].Success)
            return new(SqlTokenKind.Sign, written, null, position);
        var content = written[1..^1].Replace($"{written[^1]}{written[^1]}", $"{written[^1]}", StringComparison.Ordinal);
        return written[0] == '\''
            ? new(SqlTokenKind.Constant, content, content, position)
            : new(SqlTokenKind.Name, content, null, position);
    }

    private static object Number(string written, int position)
    {
        var isWhole = written.All(char.IsAsciiDigit);
        if (isWhole && long.TryParse(written, NumberStyles.None, CultureInfo.InvariantCulture, out var whole))
            return whole;
        if (isWhole && written == BeyondLong)
            return decimal.Parse(written, CultureInfo.InvariantCulture);
        return !isWhole && double.TryParse(written, NumberStyles.Float, CultureInfo.InvariantCulture, out var number)
            ? number
            : throw new SqlException($"'{Excerpt.Of(written)}' is not a number in the supported range", position);
    }

    private static SqlException Unreadable(char first, int position) =>
        first is '\'' or '"' or '['
            ? new($"the closing {(first == '[' ? ']' : first)} is missing", position)
            : new($"unexpected '{first}'", position);

    [GeneratedRegex(
        """\G(?:(?<word>[\p{L}_][\p{L}\p{Nd}_]*)|(?<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]*)?)|'(?:[^']|'')*'"""
            + """|"(?:[^"]|"")*"|\[(?:[^\]]|\]\])*\]|(?<sign><>|!=|<=|>=|[-()+*/%=<>.,;@]))""",
        RegexOptions.CultureInvariant
    )]
    private static partial Regex Token();
}

internal sealed class SqlException(string why, int position) : Exception($"At position {position}: {why}.")
{
    public int Position => position;
}
