using System.Data;
using System.Data.Common;
using Azure.Core;
using Dapper;
using DbUp;
using DbUp.Builder;
using DbUp.Postgresql;
using Npgsql;

namespace DroneDelivery.Database;

/// <param name="credential">Source of the tokens that replace the password; <c>null</c> if the connection string is complete.</param>
internal sealed class PostgresEngine(string connectionString, TimeSpan writeTimeout, TokenCredential? credential = null)
    : IDatabaseEngine
{
    // Shared by all services of a database: concurrent grants on one table fail.
    private const long MigrationLockId = 0x64726F6E65;

    // A server takes 100 connections by default, and two services of nine replicas share it.
    private const int DefaultPoolSize = 5;

    private static readonly TokenRequestContext DatabaseTokens = new([
        "https://ossrdbms-aad.database.windows.net/.default",
    ]);

    private readonly NpgsqlDataSource _source = CreateSource(connectionString, writeTimeout, credential);

    public string SystemName => "postgresql";

    public bool IsSerial => false;

    // An index over many rows may take longer than a statement of a request.
    public string MigrationLock => $"set local statement_timeout = 0; select pg_advisory_xact_lock({MigrationLockId});";

    public async Task<DbConnection> OpenAsync(CancellationToken cancellationToken) =>
        await _source.OpenConnectionAsync(cancellationToken);

    public Task<int> WriteAsync(DbConnection connection, CommandDefinition command) => connection.ExecuteAsync(command);

    // Read committed: each statement sees everything that the previous holders of the key have committed.
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
        // The last of two equal keys counts, so the connection string can override each. The client waits a little longer than the server.
        var settings = new NpgsqlConnectionStringBuilder(
            $"Maximum Pool Size={DefaultPoolSize};Timeout={seconds};Command Timeout={seconds + 1};"
                + $"Tcp Keepalive=true;Tcp Keepalive Time=30;Tcp Keepalive Interval=5;{connectionString}"
        );
        // The server ends a session that is cut off inside a transaction before the statements that wait for it time out.
        settings.Options =
            $"-c statement_timeout={milliseconds} -c idle_in_transaction_session_timeout={(milliseconds + 1) / 2} "
            + $"-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=5 -c tcp_user_timeout=30000 {settings.Options}";
        var builder = new NpgsqlDataSourceBuilder(settings.ConnectionString);
        // Called for each connection: the credential caches its token and renews it in time.
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
