namespace DroneDelivery.Telemetry.Query;

internal static class Keywords
{
    private static readonly HashSet<string> BeforeNames =
    [
        .. OperatorTable.Supported.SelectMany(entry => entry.Name.Split('-')),
        .. ComparisonTable.All.SelectMany(comparison => comparison.Words),
        "and",
        "or",
        "by",
        "asc",
        "desc",
        "nulls",
        "first",
        "last",
        "on",
        "of",
        "let",
    ];

    /// <summary>Determines whether a quoted name after this word is a name rather than a property access.</summary>
    public static bool MayPrecedeName(string word) => BeforeNames.Contains(word);
}
