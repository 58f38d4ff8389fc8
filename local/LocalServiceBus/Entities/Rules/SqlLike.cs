using System.Text;
using System.Text.RegularExpressions;

namespace DroneDelivery.LocalServiceBus.Entities.Rules;

/// <summary>The LIKE operator. In a pattern, % matches any string, and _ matches any character.</summary>
internal sealed class SqlLike(SqlExpression operand, SqlExpression pattern, char? escape)
{
    private const int MaxPatternLength = SqlParser.MaxLength;

    // Caches the latest pattern, because most patterns are constants.
    private Pattern? _latest;

    public bool? Test(IRuleMessage message) =>
        (operand(message), pattern(message)) switch
        {
            (null, _) or (_, null) => null,
            (string text, string written) => PatternOf(written).IsMatch(text),
            _ => throw new FilterException("The operands of LIKE must be strings."),
        };

    private Regex PatternOf(string written)
    {
        if (_latest is { } latest && latest.Text == written)
            return latest.Regex;
        if (written.Length > MaxPatternLength)
            throw new FilterException($"A LIKE pattern can have at most {MaxPatternLength} characters.");
        // Non-backtracking guarantees linear time.
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
