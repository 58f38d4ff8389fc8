using System.Data.Common;
using Dapper;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace DroneDelivery.Database;

/// <summary>
/// Several processes write to one file, one at a time. Neither SQLite's own wait for its turn (whole seconds in this build of the
/// library) nor the provider's (150 ms, blocking the thread) will do, so a write takes the lock itself, polling every millisecond.
/// </summary>
internal sealed class SqliteEngine(string connectionString, TimeSpan writeTimeout, TimeProvider time) : IDatabaseEngine
{
    private static readonly TimeSpan Poll = TimeSpan.FromMilliseconds(1);

    private readonly SemaphoreSlim _turn = new(1); // writers of this process queue here, so that only other processes are polled

    public string SystemName => "sqlite";

    public bool IsSerial => true;

    public async Task<DbConnection> OpenAsync(CancellationToken cancellationToken)
    {
        var connection = new SqliteConnection(connectionString);
        try
        {
            await connection.OpenAsync(cancellationToken);
            // In WAL mode NORMAL survives a crash of the process; only a power cut may lose the last commits, never the file.
            await ExecuteAsync(connection, "PRAGMA synchronous=NORMAL", cancellationToken);
            return connection;
        }
        catch
        {
            await connection.DisposeAsync();
            throw;
        }
    }

    public Task PrepareAsync(DbConnection connection, CancellationToken cancellationToken) =>
        ExecuteAsync((SqliteConnection)connection, "PRAGMA journal_mode=WAL", cancellationToken);

    public Task<bool> HasTableAsync(DbConnection connection, string table, CancellationToken cancellationToken) =>
        connection.ExecuteScalarAsync<bool>(
            new CommandDefinition(
                "select count(*) from sqlite_master where type = 'table' and name = @table",
                new { table },
                cancellationToken: cancellationToken
            )
        );

    /// <summary>Writes the number that the file has already: all of a write but its content.</summary>
    public async Task<int> ProbeAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        var read = new CommandDefinition("PRAGMA user_version", cancellationToken: cancellationToken);
        var version = await connection.ExecuteScalarAsync<long>(read);
        return await WriteAsync(
            connection,
            new CommandDefinition($"PRAGMA user_version={version}", cancellationToken: cancellationToken)
        );
    }

    /// <summary>
    /// A connection that was opened while the file could not be written, or whose disk failed, stays so for as long as it is open, and the
    /// pool would keep it for ever.
    /// </summary>
    public void Recover(DbException exception)
    {
        if (
            exception
            is not SqliteException { SqliteErrorCode: raw.SQLITE_READONLY or raw.SQLITE_CANTOPEN or raw.SQLITE_IOERR }
        )
        {
            return;
        }

        using var ofThisFile = new SqliteConnection(connectionString);
        SqliteConnection.ClearPool(ofThisFile);
    }

    public Task<int> WriteAsync(DbConnection connection, CommandDefinition command) =>
        ExclusiveAsync(connection, () => connection.ExecuteAsync(command), command.CancellationToken);

    public async Task<T> ExclusiveAsync<T>(
        DbConnection connection,
        Func<Task<T>> work,
        CancellationToken cancellationToken
    )
    {
        var sqlite = (SqliteConnection)connection;
        await WaitForTurnAsync(cancellationToken);
        try
        {
            await ExecuteAsync(sqlite, "BEGIN IMMEDIATE", cancellationToken);
            var result = await work();
            await ExecuteAsync(sqlite, "COMMIT", cancellationToken);
            return result;
        }
        catch
        {
            // The connection goes back to the pool, where an open transaction would block every writer. Fails if there is none, or if
            // SQLite has rolled back itself.
            raw.sqlite3_exec(sqlite.Handle, "ROLLBACK");
            throw;
        }
        finally
        {
            _turn.Release();
        }
    }

    public bool IsUnavailable(DbException exception) =>
        exception
            is SqliteException
            {
                SqliteErrorCode: raw.SQLITE_BUSY
                    or raw.SQLITE_LOCKED
                    or raw.SQLITE_CANTOPEN
                    or raw.SQLITE_IOERR
                    or raw.SQLITE_FULL
                    or raw.SQLITE_READONLY,
            };

    private async Task WaitForTurnAsync(CancellationToken cancellationToken)
    {
        if (_turn.Wait(TimeSpan.Zero, cancellationToken))
            return;
        using var timeout = new CancellationTokenSource(writeTimeout, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(timeout.Token, cancellationToken);
        try
        {
            await _turn.WaitAsync(either.Token);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw Busy();
        }
    }

    /// <summary>Repeats while another process is in the way, be it a writer or one that opens or closes the file.</summary>
    private async Task ExecuteAsync(SqliteConnection connection, string sql, CancellationToken cancellationToken)
    {
        var started = time.GetTimestamp();
        int result;
        while ((result = raw.sqlite3_exec(connection.Handle, sql)) == raw.SQLITE_BUSY)
        {
            if (time.GetElapsedTime(started) > writeTimeout)
                throw Busy();
            await Task.Delay(Poll, cancellationToken);
        }
        SqliteException.ThrowExceptionForRC(result, connection.Handle);
    }

    private SqliteException Busy() =>
        new($"Other writers kept the database for {writeTimeout} (Database:WriteTimeout).", raw.SQLITE_BUSY);

    public void Dispose() => _turn.Dispose();
}
