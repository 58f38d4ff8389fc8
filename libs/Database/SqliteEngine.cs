using System.Data.Common;
using Dapper;
using DbUp;
using DbUp.Builder;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace DroneDelivery.Database;

/// <summary>
/// Serializes the writes of all processes that share a file. Writes poll for the lock, because SQLite's own wait has a resolution of
/// seconds, and the provider's blocks the thread for 150 ms at a time.
/// </summary>
internal sealed class SqliteEngine(string connectionString, TimeSpan writeTimeout, TimeProvider time) : IDatabaseEngine
{
    private static readonly TimeSpan FirstPollInterval = TimeSpan.FromMilliseconds(1),
        MaxPollInterval = TimeSpan.FromMilliseconds(16);

    // Writers of this process queue here, so that only other processes are polled for.
    private readonly SemaphoreSlim _turn = new(1);

    public string SystemName => "sqlite";

    public bool IsSerial => true;

    public string MigrationLock => "";

    public async Task<DbConnection> OpenAsync(CancellationToken cancellationToken)
    {
        var connection = new SqliteConnection(connectionString);
        try
        {
            await connection.OpenAsync(cancellationToken);
            using var timeout = new CancellationTokenSource(writeTimeout);
            // In WAL mode, NORMAL survives a process crash. A power failure may lose the last commits but doesn't corrupt the file.
            await ExecuteAsync(connection, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL", timeout.Token);
            return connection;
        }
        catch
        {
            await connection.DisposeAsync();
            throw;
        }
    }

    public Task<int> WriteAsync(DbConnection connection, CommandDefinition command) =>
        TransactionAsync(connection, key: "", () => connection.ExecuteAsync(command), command.CancellationToken);

    public async Task<T> TransactionAsync<T>(
        DbConnection connection,
        string key,
        Func<Task<T>> work,
        CancellationToken cancellationToken
    )
    {
        var sqlite = (SqliteConnection)connection;
        using var timeout = new CancellationTokenSource(writeTimeout, time);
        using var waiting = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, cancellationToken);
        await _turn.WaitAsync(waiting.Token);
        try
        {
            await ExecuteAsync(sqlite, "BEGIN IMMEDIATE", waiting.Token);
            var result = await work();
            await ExecuteAsync(sqlite, "COMMIT", waiting.Token);
            return result;
        }
        catch
        {
            // An open transaction in the pool would block every writer. Fails harmlessly if there is none.
            raw.sqlite3_exec(sqlite.Handle, "ROLLBACK");
            throw;
        }
        finally
        {
            _turn.Release();
        }
    }

    public UpgradeEngineBuilder CreateUpgrade() => DeployChanges.To.SqliteDatabase(connectionString);

    /// <summary>
    /// Clears the pool, because connections that were opened while the file was read-only, or whose disk failed, keep failing.
    /// </summary>
    public void Recover(Exception exception)
    {
        if (exception is SqliteException { SqliteErrorCode: raw.SQLITE_BUSY })
            return;
        using var connection = new SqliteConnection(connectionString);
        SqliteConnection.ClearPool(connection);
    }

    public void Dispose() => _turn.Dispose();

    /// <summary>Retries while another process writes, opens, or closes the file.</summary>
    private static async Task ExecuteAsync(SqliteConnection connection, string sql, CancellationToken cancellationToken)
    {
        var result = raw.sqlite3_exec(connection.Handle, sql);
        var interval = FirstPollInterval;
        while (result == raw.SQLITE_BUSY)
        {
            await Task.Delay(interval, cancellationToken);
            if (interval < MaxPollInterval)
                interval *= 2;
            result = raw.sqlite3_exec(connection.Handle, sql);
        }
        SqliteException.ThrowExceptionForRC(result, connection.Handle);
    }
}
