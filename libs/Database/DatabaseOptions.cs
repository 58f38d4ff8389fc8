using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Database;

/// <summary>Section <c>Database</c>.</summary>
public sealed class DatabaseOptions
{
    public const string Section = "Database";

    /// <summary>
    /// <c>Data Source=FILE</c>: SQLite, one file for all replicas on one machine. <c>Host=…</c>: PostgreSQL,
    /// with at most 5 connections unless <c>Maximum Pool Size</c> says otherwise. Absent: a SQLite file
    /// named after the service, in the working directory.
    /// </summary>
    public string? ConnectionString { get; set; }

    /// <summary>PostgreSQL: log in with the identity of the process instead of a password; <c>Username</c> is its role.</summary>
    public bool UseIdentity { get; set; }

    /// <summary>
    /// Changes the tables, if this version needs others, before the first statement. False: somebody else has to, with <c>--migrate</c>;
    /// until then the service is not ready. So its role needs no right to create tables.
    /// </summary>
    public bool MigrateOnStart { get; set; } = true;

    /// <summary>PostgreSQL, with <c>--migrate</c>: the role that may read and write the rows of the service.</summary>
    public string? GrantTo { get; set; }

    /// <summary>
    /// How long a statement may take (PostgreSQL), and a write may wait for other writers, before the answer is 503. Half of it is the limit
    /// for a PostgreSQL session that is idle inside a transaction.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:05:00")]
    public TimeSpan WriteTimeout { get; set; } = TimeSpan.FromSeconds(5);
}
