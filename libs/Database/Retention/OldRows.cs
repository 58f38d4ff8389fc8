namespace DroneDelivery.Database.Retention;

/// <summary>Rows that a service deletes after some time.</summary>
/// <param name="Name">For the log, for example <c>assignments</c>.</param>
/// <param name="Delete">Deletes at most <c>@most</c> rows from before <c>@before</c> (Unix time in ms).</param>
public sealed record OldRows(string Name, string Delete);
