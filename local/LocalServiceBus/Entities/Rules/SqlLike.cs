namespace DroneDelivery.LocalServiceBus.Entities.Rules;

/// <summary>Compares a text with a pattern in which % is any text and _ any character.</summary>
/// <param name="escape">Makes the next character stand for itself; null: none.</param>
internal sealed class SqlLike(SqlExpression operand, SqlExpression pattern, char? escape)
{
    // Most patterns are constants.
    private Pattern? _latest;

    public bool? Test(IRuleMessage message) =>
        (operand(message), pattern(message)) switch
        {
            (null, _) or (_, null) => null,
            (string text, string written) => Matches(text, PartsOf(written), message),
            _ => throw new FilterException("LIKE compares strings."),
        };

    private Part[] PartsOf(string written)
    {
        if (_latest is { } latest && ReferenceEquals(latest.Text, written))
            return latest.Parts;
        var parts = new List<Part>(written.Length);
        for (var i = 0; i < written.Length; i++)
        {
            var isEscaped = written[i] == escape && i + 1 < written.Length;
            if (isEscaped)
                i++;
            parts.Add(new(written[i], !isEscaped && written[i] == '%', !isEscaped && written[i] == '_'));
        }
        return (_latest = new(written, [.. parts])).Parts;
    }

    private static bool Matches(string text, Part[] parts, IRuleMessage message)
    {
        var left = message.LikeSteps - parts.Length;
        var matches = Matches(text, parts, ref left);
        message.LikeSteps = left;
        return left > 0
            ? matches
            : throw new FilterException(
                $"LIKE takes more than {IRuleMessage.MostLikeSteps} steps in all rules of the topic together."
            );
    }

    /// <summary>Goes back to the last % alone, so the time is at most the product of both lengths.</summary>
    private static bool Matches(string text, Part[] parts, ref int left)
    {
        int at = 0,
            next = 0,
            afterAny = -1,
            retry = 0;
        while (at < text.Length)
        {
            if (--left <= 0)
                return false;
            if (next < parts.Length && parts[next].IsAnyText)
            {
                afterAny = ++next;
                retry = at;
            }
            else if (next < parts.Length && (parts[next].IsAnyCharacter || parts[next].Character == text[at]))
            {
                at++;
                next++;
            }
            else if (afterAny >= 0)
            {
                at = ++retry;
                next = afterAny;
            }
            else
            {
                return false;
            }
        }
        return parts[next..].All(part => part.IsAnyText);
    }

    private sealed record Pattern(string Text, Part[] Parts);

    private readonly record struct Part(char Character, bool IsAnyText, bool IsAnyCharacter);
}
