using System.Text.RegularExpressions;

namespace DroneDelivery.Architecture.Tests.Support;

/// <summary>A line in terms.txt: a phrase and its replacement.</summary>
internal sealed class Term
{
    private const string Separator = " → ";

    private readonly Regex _phrase;
    private readonly string _replacement;

    private Term(Regex phrase, string replacement) => (_phrase, _replacement) = (phrase, replacement);

    public static IReadOnlyList<Term> ReadFrom(string file) =>
        [.. File.ReadLines(file).Where(line => line.Length > 0 && line[0] != '#').Select(Parse)];

    public static Term Parse(string line)
    {
        if (line.Split(Separator) is not [var pattern, var replacement])
            throw new FormatException($"'{line}' must have the form 'phrase{Separator}replacement'.");
        var anywhere = pattern.Replace(" ", "[ ]+", StringComparison.Ordinal);
        var anchored = anywhere.StartsWith('^') ? $"(?<=^[ *>-]*){anywhere[1..]}" : anywhere;
        const RegexOptions Options =
            RegexOptions.Compiled | RegexOptions.IgnoreCase | RegexOptions.CultureInvariant | RegexOptions.Multiline;
        return new Term(new Regex($@"(?<!\w)(?:{anchored})(?!\w)", Options), replacement);
    }

    /// <summary>Finds the phrase in prose as <see cref="Prose"/> returns it.</summary>
    public IEnumerable<(int Index, string Phrase, string Replacement)> FindIn(string prose) =>
        _phrase.Matches(prose).Select(match => (match.Index, Spaced(match.Value), match.Result(_replacement)));

    private static string Spaced(string phrase) =>
        string.Join(' ', phrase.Split(' ', StringSplitOptions.RemoveEmptyEntries));
}
