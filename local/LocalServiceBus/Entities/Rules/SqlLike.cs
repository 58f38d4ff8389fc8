using System.Text;
using System.Text.RegularExpressions;

namespace DroneDelivery.LocalServiceBus.Entities.Rules;

/// <summary>The operator LIKE. In a pattern, % matches any string and _ matches any character.</summary>
/// <param name="escape">The character that escapes % and _; <c>null</c> if there is none.</param>
internal sealed class SqlLike(SqlExpression operand, SqlExpression pattern, char? escape)
{
    private const int MaxPatternLength = SqlParser.Longest;

    // The latest pattern, because most are constants.
    private Pattern? _latest;

    public bool? Test(IRuleMessage message) =>
        (operand(message), pattern(message)) switch
        {
            (null, _) or (_, null) => null,
            (string text, string written) => PatternOf(written).IsMatch(text),
            _ => throw new FilterException("LIKE compares strings."),
        };

    private Regex PatternOf(string written)
    {
        if (_latest is { } latest && latest.Text == written)
            return latest.Regex;
        if (written.Length > MaxPatternLength)
            throw new FilterException($"A pattern of LIKE has at most {MaxPatternLength} characters.");
        // Non-backtracking: linear time, whatever the pattern.
        var regex = new Regex(
            $@"\A{Translate(written)}\z",
            RegexOptions.NonBacktracking | RegexOptions.Singleline | RegexOptions.CultureInvariant
        );
        _latest = new(written, regex);
        return regex;
    }

    private string Translate(string written)
    {
        var regex = new StringBuilder();
        for (var i = 0; i < written.Length; i++)
        {
            var isEscaped = written[i] == escape && i + 1 < written.Length;
            if (isEscaped)
                i++;
            regex.Append(
                written[i] switch
                {
                    '%' when !isEscaped => ".*",
                    '_' when !isEscaped => ".",
                    var other => Regex.Escape($"{other}"),
                }
            );
        }
        return regex.ToString();
    }

    private sealed record Pattern(string Text, Regex Regex);
}
