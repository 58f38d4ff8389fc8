namespace DroneDelivery.Lab.Stages;

/// <summary>Suggests names that the user may have meant.</summary>
internal static class Nearest
{
    /// <returns>At most three names that contain a part of the input or differ by a few letters.</returns>
    public static IReadOnlyList<string> To(string typed, IEnumerable<string> names) =>
        [
            .. names
                .Select(name => (Name: name, Distance: Distance(typed.ToLowerInvariant(), name.ToLowerInvariant())))
                .Where(candidate => candidate.Distance <= Math.Max(2, typed.Length / 3))
                .OrderBy(candidate => candidate.Distance)
                .Take(3)
                .Select(candidate => candidate.Name),
        ];

    /// <param name="what">For the error message, for example <c>an experiment</c>.</param>
    public static T Named<T>(string what, string name, IEnumerable<T> all, Func<T, string> nameOf)
    {
        var known = all.ToList();
        if (known.FindIndex(candidate => nameOf(candidate) == name) is >= 0 and var found)
            return known[found];
        throw new BadInputException($"{name} is not {what}. {Hint(name, known.Select(nameOf))}");
    }

    /// <summary>Returns a hint with the nearest names, or else all of them.</summary>
    public static string Hint(string typed, IEnumerable<string> names, string? otherwise = null) =>
        To(typed, names) is { Count: > 0 } near
            ? $"Did you mean {string.Join(" or ", near)}?"
            : otherwise ?? $"There are: {string.Join(", ", names)}.";

    /// <summary>Returns the edit distance of the names, or of the parts after the dot.</summary>
    private static double Distance(string typed, string name)
    {
        var (typedEnd, nameEnd) = (AfterDot(typed), AfterDot(name));
        return typedEnd.Length >= 3 && nameEnd.Contains(typedEnd, StringComparison.Ordinal)
            ? (name.Length - typedEnd.Length) / 100.0
            : Math.Min(Edits(typed, name), Edits(typedEnd, nameEnd) + 1);
    }

    private static string AfterDot(string name) => name[(name.IndexOf('.', StringComparison.Ordinal) + 1)..];

    private static int Edits(string a, string b)
    {
        var previous = Enumerable.Range(0, b.Length + 1).ToArray();
        for (var i = 1; i <= a.Length; i++)
        {
            var current = new int[b.Length + 1];
            current[0] = i;
            for (var j = 1; j <= b.Length; j++)
            {
                current[j] = Math.Min(
                    Math.Min(current[j - 1], previous[j]) + 1,
                    previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                );
            }

            previous = current;
        }

        return previous[b.Length];
    }
}
