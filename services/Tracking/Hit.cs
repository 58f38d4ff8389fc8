namespace DroneDelivery.Tracking;

/// <summary>Somebody has opened a mail: one entity of a table.</summary>
/// <param name="Table">Of the customer whose mail it is.</param>
/// <param name="PartitionKey">The account that the mail was about.</param>
/// <param name="RowKey">Made by this service, so nobody else writes under it, and a hit that is stored again is the same entity.</param>
/// <param name="Tracker">The reader's cookie.</param>
internal sealed record Hit(string Table, string PartitionKey, string RowKey, string Tracker)
{
    /// <summary>Version 7 ids grow with time, so the newest rows of a partition are together.</summary>
    public static Hit New(string table, string account, string tracker, DateTimeOffset now) =>
        new(table, account, Guid.CreateVersion7(now).ToString(), tracker);
}
