using System.Globalization;

namespace DroneDelivery.Architecture.Tests.Support;

/// <summary>
/// The contents of terms.allowed.txt: the number of times that a file may still contain a phrase in terms.txt. The list
/// only gets shorter.
/// </summary>
internal sealed class AllowedTerms
{
    private const string Header = """
        # Phrases of terms.txt that existed before their rule: file, phrase, count. Generated, and only gets shorter:
        #   UPDATE_TERMS=1 dotnet test --project tests/Architecture.Tests -c Release --filter-class "*TermsTests"
        # removes what is no longer there. If you rename a file, rename it here.

        """;

    private readonly SortedDictionary<(string File, string Phrase), int> _counts;

    public AllowedTerms(IEnumerable<((string File, string Phrase) Key, int Count)> counts)
    {
        _counts = new(Comparer<(string File, string Phrase)>.Create(Compare));
        // A merge may leave two lines for one phrase: both branches only removed some, so the lower count is closer.
        foreach (var (key, count) in counts)
            _counts[key] = Math.Min(count, _counts.GetValueOrDefault(key, int.MaxValue));
    }

    public IEnumerable<((string File, string Phrase) Key, int Count)> Counts =>
        _counts.Select(entry => (entry.Key, entry.Value));

    public static AllowedTerms ReadFrom(string file) =>
        new(File.ReadLines(file).Where(line => line.Length > 0 && line[0] != '#').Select(Parse));

    public int CountOf(string file, string phrase) => _counts.GetValueOrDefault((file, phrase));

    /// <summary>Lowers each count to what was found. Adds nothing.</summary>
    public AllowedTerms LoweredTo(AllowedTerms found)
    {
        var lowered = Counts.Select(allowed =>
            (allowed.Key, Count: Math.Min(allowed.Count, found.CountOf(allowed.Key.File, allowed.Key.Phrase)))
        );
        return new(lowered.Where(allowed => allowed.Count > 0));
    }

    public void WriteTo(string file) =>
        File.WriteAllText(
            file,
            Header
                + string.Concat(
                    Counts.Select(allowed => $"{allowed.Key.File}\t{allowed.Key.Phrase}\t{allowed.Count}\n")
                )
        );

    private static ((string File, string Phrase) Key, int Count) Parse(string line) =>
        line.Split('\t') is [var file, var phrase, var count]
            ? ((file, phrase), int.Parse(count, CultureInfo.InvariantCulture))
            : throw new FormatException($"'{line}' must be a file, a phrase and a count, separated by tabs.");

    private static int Compare((string File, string Phrase) left, (string File, string Phrase) right)
    {
        var byFile = string.CompareOrdinal(left.File, right.File);
        return byFile == 0 ? string.CompareOrdinal(left.Phrase, right.Phrase) : byFile;
    }
}
