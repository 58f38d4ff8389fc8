using System.Text.RegularExpressions;

namespace DroneDelivery.Tracking;

/// <summary>Somebody has opened a mail: one entity of a table.</summary>
/// <param name="Table">Of the customer whose mail it is.</param>
/// <param name="PartitionKey">The account that the mail was about.</param>
/// <param name="RowKey">Made by this service, so nobody else writes under it, and a hit that is stored again is the same entity.</param>
/// <param name="Tracker">The reader's cookie.</param>
internal sealed partial record Hit(string Table, string PartitionKey, string RowKey, string Tracker)
{
    public const string
        // Table Storage keeps the first name for itself; the second is the path of the counters.
        TableName = @"(?!(?i:tables|counters)\z)[A-Za-z][A-Za-z0-9]{2,62}",
        TableNameRule =
            "Must be 3 to 63 letters a to z and digits, must not begin with a digit, and must not be 'tables' or 'counters'.",
        // 1 KiB in UTF-16.
        Key = @"[^/\\#?\p{Cc}]{1,512}",
        KeyRule = "Required: 1 to 512 characters, none of / \\ # ? and no control characters.";

    /// <summary>Version 7 ids grow with time, so the newest rows of a partition are together.</summary>
    public static Hit New(string table, string account, string tracker, DateTimeOffset now) =>
        new(table, account, Guid.CreateVersion7(now).ToString(), tracker);

    /// <summary>Those that one request can store: of one partition.</summary>
    public static IEnumerable<Hit[]> Batches(IEnumerable<Hit> all, int size) =>
        all.GroupBy(hit => (hit.Table, hit.PartitionKey)).SelectMany(partition => partition.Chunk(size));

    public static bool IsTableName(string? text) => text is not null && WholeTableName().IsMatch(text);

    [GeneratedRegex($@"\A{TableName}\z")]
    private static partial Regex WholeTableName();
}
