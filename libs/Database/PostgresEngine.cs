using System.Data.Common;
using Azure.Core;
using Dapper;
using Npgsql;

namespace DroneDelivery.Database;

/// <param name="writeTimeout">How long a transaction waits for the one before it.</param>
/// <param name="credential">Whose tokens are the password; null: the connection string says all.</param>
internal sealed class PostgresEngine(string connectionString, TimeSpan writeTimeout, TokenCredential? credential = null)
    : IDatabaseEngine
{
    // Any number, the same in every process: whoever holds it changes tables, the others wait.
    private const long SchemaLock = 0x64726F6E65;
    private const long ExclusiveLock = SchemaLock + 1;

    // A server takes 100 connections by default, and two services of nine replicas share it. Five answer thousands of statements a second.
    // Of a setting that is there twice the last one counts, so the connection string still decides.
    private const int DefaultPoolSize = 5;

    private static readonly TokenRequestContext DatabaseTokens = new([
        "https://ossrdbms-aad.database.windows.net/.default",
    ]);

    private readonly NpgsqlDataSource _source = Create(
        $"Maximum Pool Size={DefaultPoolSize};{connectionString}",
        credential
    );

    public string SystemName => "postgresql";

    public async Task<DbConnection> OpenAsync(CancellationToken cancellationToken) =>
        await _source.OpenConnectionAsync(cancellationToken);

    public Task<bool> HasTableAsync(DbConnection connection, string table, CancellationToken cancellationToken) =>
        connection.ExecuteScalarAsync<bool>(
            new CommandDefinition(
                "select to_regclass(@table) is not null",
                new { table },
                cancellationToken: cancellationToken
            )
        );

    // "if not exists" alone is not enough: two sessions that both find nothing both create, and one fails. The wait has no end, for the
    // one before may have many rows to go through.
    public Task<T> MigratingAsync<T>(
        DbConnection connection,
        Func<Task<T>> work,
        CancellationToken cancellationToken
    ) => LockedAsync(connection, $"select pg_advisory_xact_lock({SchemaLock})", work, cancellationToken);

    public Task<int> WriteAsync(DbConnection connection, CommandDefinition command) => connection.ExecuteAsync(command);

    // Read committed: each statement sees what the holders of the lock before this one have committed. The wait has an end, for who waits
    // keeps one of the few connections.
    public Task<T> ExclusiveAsync<T>(
        DbConnection connection,
        Func<Task<T>> work,
        CancellationToken cancellationToken
    ) =>
        LockedAsync(
            connection,
            $"set local lock_timeout = {(long)writeTimeout.TotalMilliseconds}; select pg_advisory_xact_lock({ExclusiveLock})",
            work,
            cancellationToken
        );

    // A standby is read-only, and so is a server that its host keeps from filling its disk.
    public Task<int> ProbeAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        const string sql = """
            do $$ begin
                if current_setting('transaction_read_only')::boolean then
                    raise read_only_sql_transaction using message = 'the server takes no writes';
                end if;
            end $$
            """;
        return connection.ExecuteAsync(new CommandDefinition(sql, cancellationToken: cancellationToken));
    }

    // Beside what the driver calls transient: a server that takes no writes for now, and one that stops.
    public bool IsUnavailable(DbException exception) =>
        exception.IsTransient
        || exception.SqlState
            is PostgresErrorCodes.ReadOnlySqlTransaction
                or PostgresErrorCodes.AdminShutdown
                or PostgresErrorCodes.CrashShutdown
        || exception is NpgsqlException { InnerException: IOException or TimeoutException };

    public void Dispose() => _source.Dispose();

    private static async Task<T> LockedAsync<T>(
        DbConnection connection,
        string takeLock,
        Func<Task<T>> work,
        CancellationToken cancellationToken
    )
    {
        await using var transaction = await connection.BeginTransactionAsync(cancellationToken);
        await connection.ExecuteAsync(
            new CommandDefinition(takeLock, commandTimeout: 0, cancellationToken: cancellationToken)
        );
        var result = await work();
        await transaction.CommitAsync(cancellationToken);
        return result;
    }

    private static NpgsqlDataSource Create(string connectionString, TokenCredential? credential)
    {
        var builder = new NpgsqlDataSourceBuilder(connectionString);
        // Asked for each connection, not every so often: the credential keeps a token until shortly before its end and is asked in time.
        if (credential is not null)
        {
            builder.UsePasswordProvider(
                _ => credential.GetToken(DatabaseTokens, CancellationToken.None).Token,
                async (_, cancellationToken) =>
                    (await credential.GetTokenAsync(DatabaseTokens, cancellationToken)).Token
            );
        }
        return builder.Build();
    }
}
