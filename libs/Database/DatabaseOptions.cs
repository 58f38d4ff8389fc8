using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Database;

public sealed class DatabaseOptions
{
    public const string Section = "Database";

    /// <summary>
    /// <c>Data Source=FILE</c> for SQLite; <c>Host=…</c> for PostgreSQL, with at most 5 connections unless <c>Maximum Pool Size</c> is set.
    /// The default is a SQLite file in the working directory, named after the service.
    /// </summary>
    public string? ConnectionString { get; set; }

    /// <summary>Whether to authenticate to PostgreSQL with the managed identity; <c>Username</c> is its role.</summary>
    public bool UseIdentity { get; set; }

    /// <summary>
    /// Whether to migrate the tables before the first statement. If <c>false</c>, the service isn't ready until <c>--migrate</c> has run.
    /// </summary>
    public bool MigrateOnStart { get; set; } = true;

    /// <summary>The PostgreSQL role to which <c>--migrate</c> grants read and write access to the rows.</summary>
    public string? GrantTo { get; set; }

    /// <summary>
    /// Time limit of a PostgreSQL statement, and of the wait for other writers. Half of it is the limit of a PostgreSQL session that is
    /// idle in a transaction.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:05:00")]
    public TimeSpan WriteTimeout { get; set; } = TimeSpan.FromSeconds(5);
}
