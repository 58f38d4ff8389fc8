namespace DroneDelivery.Database.Retention;

/// <summary>Rows to delete when they are older than <see cref="RetentionOptions.Period"/>.</summary>
/// <param name="Name">The name for the log, for example <c>assignments</c>.</param>
/// <param name="Delete">SQL that deletes at most <c>@most</c> rows from before <c>@before</c>, in Unix milliseconds.</param>
public sealed record OldRows(string Name, string Delete);
