using System.Data;
using System.Data.Common;
using Azure.Core;
using Dapper;
using DbUp;
using DbUp.Builder;
using DbUp.Postgresql;
using Npgsql;

namespace DroneDelivery.Database;

/// <param name="credential">The source of access tokens; <c>null</c> to authenticate as the connection string specifies.</param>
internal sealed class PostgresEngine(string connectionString, TimeSpan writeTimeout, TokenCredential? credential = null)
    : IDatabaseEngine
{
    // Shared by all services of a database, because concurrent grants on a table fail.
    private const long MigrationLockId = 0x64726F6E65;

    // Two services with up to nine replicas each share a server, which accepts 100 connections by default.
    private const int DefaultPoolSize = 5;

    private static readonly TokenRequestContext DatabaseTokens = new([
        "https://ossrdbms-aad.database.windows.net/.default",
    ]);

    private readonly NpgsqlDataSource _source = CreateSource(connectionString, writeTimeout, credential);

    public string SystemName => "postgresql";

    public bool IsSerial => false;

    // Creating an index may exceed the statement timeout.
    public string MigrationLock => $"set local statement_timeout = 0; select pg_advisory_xact_lock({MigrationLockId});";

    public async Task<DbConnection> OpenAsync(CancellationToken cancellationToken) =>
        await _source.OpenConnectionAsync(cancellationToken);

    public Task<int> WriteAsync(DbConnection connection, CommandDefinition command) => connection.ExecuteAsync(command);

    // Read committed lets each statement see the commits of previous lock holders.
    public async Task<T> TransactionAsync<T>(
        DbConnection connection,
        string key,
        Func<Task<T>> work,
        CancellationToken cancellationToken
    )
    {
        await using var transaction = await connection.BeginTransactionAsync(
            IsolationLevel.ReadCommitted,
            cancellationToken
        );
        var takeLock = new CommandDefinition(
            "select pg_advisory_xact_lock(hashtextextended(@key, 0))",
            new { key },
            cancellationToken: cancellationToken
        );
        await connection.ExecuteAsync(takeLock);
        var result = await work();
        await transaction.CommitAsync(cancellationToken);
        return result;
    }

    public UpgradeEngineBuilder CreateUpgrade() =>
        DeployChanges.To.PostgresqlDatabase(new PostgresqlConnectionManager(_source));

    public void Dispose() => _source.Dispose();

    private static NpgsqlDataSource CreateSource(
        string connectionString,
        TimeSpan writeTimeout,
        TokenCredential? credential
    )
    {
        var seconds = (int)Math.Ceiling(writeTimeout.TotalSeconds);
        var milliseconds = (long)Math.Ceiling(writeTimeout.TotalMilliseconds);
        // The connection string overrides these keys, because the last of two wins. The client's timeout exceeds the server's.
        var settings = new NpgsqlConnectionStringBuilder(
            $"Maximum Pool Size={DefaultPoolSize};Timeout={seconds};Command Timeout={seconds + 1};"
                + $"Tcp Keepalive=true;Tcp Keepalive Time=30;Tcp Keepalive Interval=5;{connectionString}"
        );
        // Closes the transaction of a lost session before the statements that wait for it time out.
        settings.Options =
            $"-c statement_timeout={milliseconds} -c idle_in_transaction_session_timeout={(milliseconds + 1) / 2} "
            + $"-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=5 -c tcp_user_timeout=30000 {settings.Options}";
        var builder = new NpgsqlDataSourceBuilder(settings.ConnectionString);
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
