namespace DroneDelivery.Telemetry.Query;

internal static class Similar
{
    private const int MaxDistance = 3;

    // The comparison takes quadratic time.
    private const int MaxLength = 100;

    public static string? Hint(string written, IEnumerable<string> candidates)
    {
        var nearest = candidates
            .Where(candidate => Math.Abs(candidate.Length - written.Length) <= MaxDistance)
            .Take(written.Length <= MaxLength ? int.MaxValue : 0)
            .Select(candidate =>
                (candidate, distance: Distance(written.ToLowerInvariant(), candidate.ToLowerInvariant()))
            )
            .OrderBy(each => each.distance)
            .ThenBy(each => each.candidate, StringComparer.Ordinal)
            .FirstOrDefault();
        var near =
            nearest.candidate is not null
            && nearest.distance < written.Length
            && nearest.distance <= Math.Max(1, Math.Min(MaxDistance, written.Length / 3));
        return near ? $"Did you mean '{nearest.candidate}'?" : null;
    }

    // The edit distance: insertions, deletions, substitutions, and swaps of adjacent characters.
    private static int Distance(string a, string b)
    {
        var edits = new int[a.Length + 1, b.Length + 1];
        for (var i = 0; i <= a.Length; i++)
        {
            for (var j = 0; j <= b.Length; j++)
            {
                if (i == 0 || j == 0)
                {
                    edits[i, j] = i + j;
                    continue;
                }
                var replaced = edits[i - 1, j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
                edits[i, j] = Math.Min(replaced, Math.Min(edits[i - 1, j], edits[i, j - 1]) + 1);
                if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                    edits[i, j] = Math.Min(edits[i, j], edits[i - 2, j - 2] + 1);
            }
        }
        return edits[a.Length, b.Length];
    }
}
