using System.Data.Common;
using Dapper;

namespace DroneDelivery.Database;

/// <summary>Where SQLite and PostgreSQL differ; the SQL is the same.</summary>
internal interface IDatabaseEngine : IDisposable
{
    /// <summary>As OpenTelemetry calls it.</summary>
    string SystemName { get; }

    /// <summary>Whether a statement that writes sees all that was committed before its own end.</summary>
    bool IsSerial => false;

    Task<DbConnection> OpenAsync(CancellationToken cancellationToken);

    /// <summary>What a database needs before its first statement; harmless when repeated.</summary>
    Task PrepareAsync(DbConnection connection, CancellationToken cancellationToken) => Task.CompletedTask;

    Task<bool> HasTableAsync(DbConnection connection, string table, CancellationToken cancellationToken);

    /// <summary>Runs a change of tables as one transaction, which no other change of tables, in whatever process, overlaps.</summary>
    Task<T> MigratingAsync<T>(DbConnection connection, Func<Task<T>> work, CancellationToken cancellationToken) =>
        ExclusiveAsync(connection, work, cancellationToken);

    /// <summary>Runs one statement on its own; it is durable as far as the engine goes when the task ends.</summary>
    /// <returns>Rows affected.</returns>
    Task<int> WriteAsync(DbConnection connection, CommandDefinition command);

    /// <summary>Runs several statements as one transaction, which no other of the same database, in whatever process, overlaps.</summary>
    Task<T> ExclusiveAsync<T>(DbConnection connection, Func<Task<T>> work, CancellationToken cancellationToken);

    /// <summary>Fails when nothing can be written, and changes nothing otherwise.</summary>
    Task<int> ProbeAsync(DbConnection connection, CancellationToken cancellationToken);

    /// <summary>Closes pooled connections that would go on failing after the cause of this failure is gone. Most drivers do.</summary>
    void Recover(DbException exception) { }

    /// <summary>True when the same statement may succeed later.</summary>
    bool IsUnavailable(DbException exception);
}
