using System.Text.RegularExpressions;

namespace DroneDelivery.Tracking;

/// <summary>A hit, sent when an email is opened: an entity of a table.</summary>
/// <param name="Table">The table of the customer who sent the email.</param>
/// <param name="PartitionKey">The account in the email.</param>
/// <param name="RowKey">A unique id that the service generates, so that storing a hit again has no effect.</param>
/// <param name="Tracker">The recipient's cookie.</param>
internal sealed partial record Hit(string Table, string PartitionKey, string RowKey, string Tracker)
{
    public const string
        // Excludes a reserved name of Table Storage, and the path of the counters.
        TableName = @"(?!(?i:tables|counters)\z)[A-Za-z][A-Za-z0-9]{2,62}",
        TableNameRule =
            "Must be 3 to 63 letters a to z and digits, must not begin with a digit, and must not be 'tables' or 'counters'.",
        // 1 KiB in UTF-16.
        Key = @"[^/\\#?\p{Cc}]{1,512}",
        KeyRule = "Required: 1 to 512 characters, none of / \\ # ? and no control characters.";

    /// <summary>Creates a hit. Version 7 ids are ordered by time, which keeps recent rows of a partition together.</summary>
    public static Hit New(string table, string account, string tracker, DateTimeOffset now) =>
        new(table, account, Guid.CreateVersion7(now).ToString(), tracker);

    /// <summary>Groups hits into batches of one partition, which one request can store.</summary>
    public static IEnumerable<Hit[]> Batches(IEnumerable<Hit> all, int size) =>
        all.GroupBy(hit => (hit.Table, hit.PartitionKey)).SelectMany(partition => partition.Chunk(size));

    public static bool IsTableName(string? text) => text is not null && WholeTableName().IsMatch(text);

    [GeneratedRegex($@"\A{TableName}\z")]
    private static partial Regex WholeTableName();
}
