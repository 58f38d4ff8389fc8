using System.Data.Common;
using Dapper;
using DbUp.Builder;

namespace DroneDelivery.Database;

/// <summary>The differences between SQLite and PostgreSQL; the SQL is the same.</summary>
public interface IDatabaseEngine : IDisposable
{
    /// <summary>The database system's name in OpenTelemetry.</summary>
    string SystemName { get; }

    /// <summary>Whether transactions run one at a time, so that rows need no locks.</summary>
    bool IsSerial { get; }

    /// <summary>SQL that waits for migrations of other replicas.</summary>
    string MigrationLock { get; }

    Task<DbConnection> OpenAsync(CancellationToken cancellationToken);

    /// <summary>Executes a statement and returns the number of affected rows.</summary>
    Task<int> WriteAsync(DbConnection connection, CommandDefinition command);

    /// <summary>Runs a transaction. Transactions with the same key are serialized across processes.</summary>
    Task<T> TransactionAsync<T>(
        DbConnection connection,
        string key,
        Func<Task<T>> work,
        CancellationToken cancellationToken
    );

    UpgradeEngineBuilder CreateUpgrade();

    /// <summary>Closes pooled connections that would keep failing after the database recovers.</summary>
    void Recover(Exception exception) { }
}
