using System.Text.RegularExpressions;

namespace DroneDelivery.Lab.Workshop;

/// <summary>
/// Why stage 1 fails, in somebody's words: what fails stands on one side of a because, a store and what it lacks on the other. It is no
/// test of grammar; either order of a sentence will do.
/// </summary>
/// <param name="Cause">What stands where the cause does.</param>
internal sealed partial record Reason(string Cause)
{
    private const RegexOptions Options = RegexOptions.IgnoreCase | RegexOptions.CultureInvariant;

    /// <summary>Whether it says that Redis or the cache has no memory left.</summary>
    public bool Explains => Store().IsMatch(Cause) && Want().IsMatch(Cause);

    public bool IsDenied => Denial().IsMatch(Cause);

    /// <returns>Null: it gives no reason.</returns>
    public static Reason? Of(string answer)
    {
        if (Because().Match(answer) is { Success: true } because)
            return new(Clause(answer, because.Index + because.Length));
        if (Therefore().Match(answer) is { Success: true, Index: > 0 } therefore)
            return new(answer[..therefore.Index].Trim());
        return As().Match(answer) is { Success: true } connective ? new(Clause(answer, connective.Index + connective.Length)) : null;
    }

    /// <summary>The cause, until the sentence goes on with what it causes: <c>Because Redis is full, Delivery answers 503</c>.</summary>
    private static string Clause(string answer, int from)
    {
        var rest = answer[from..].Trim();
        var end = from < answer.Length / 4 ? rest.IndexOf(',', StringComparison.Ordinal) : -1;
        return (end < 0 ? rest : rest[..end]).TrimEnd('.');
    }

    /// <summary>A cause comes after it. The last of several counts.</summary>
    [GeneratedRegex(
        @"\b(because of|because|since|due to|caused by|owing to|for want of)\b|\b(cause|reason) is\b", Options | RegexOptions.RightToLeft)]
    private static partial Regex Because();

    /// <summary>A cause came before it.</summary>
    [GeneratedRegex(@"\b(so|therefore|hence|which is why|that is why|causes|makes|lets)\b", Options)]
    private static partial Regex Therefore();

    [GeneratedRegex(@"\bas\b", Options | RegexOptions.RightToLeft)]
    private static partial Regex As();

    [GeneratedRegex(@"\b(redis|cache)\b", Options)]
    private static partial Regex Store();

    [GeneratedRegex(@"\b(OOM|maxmemory|memory|full)\b", Options)]
    private static partial Regex Want();

    [GeneratedRegex(@"\b(not|never|isn't) (yet )?(full|out of)\b|\b(has|have|with) (enough|plenty of|much) memory\b", Options)]
    private static partial Regex Denial();
}
