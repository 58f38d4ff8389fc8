using System.Data.Common;
using System.Threading.RateLimiting;
using Dapper;
using DroneDelivery.Database.Migrations;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.ServiceDefaults.Metrics;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Database;

/// <summary>
/// Runs statements and transactions on SQLite or PostgreSQL. Tables are migrated on first use, so the service can start while its database
/// is unavailable.
/// </summary>
/// <exception cref="DependencyUnavailableException">Thrown by every method if the database is unavailable or lacks tables.</exception>
public sealed class SqlDatabase(
    IDatabaseEngine engine,
    Schema schema,
    IOptions<DatabaseOptions> options,
    StoreMetrics metrics,
    ILogger<SqlDatabase> logger
) : IDisposable
{
    public const string UnavailableMessage = "The database is unavailable.";

    public const string MissingTablesMessage =
        $"The database lacks tables that this version of the service needs. Run the service with {MigrateCommand.Argument} to create them.";

    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    private readonly TimeSpan _writeTimeout = options.Value.WriteTimeout;
    private readonly OutageLog _outage = new("Database", logger);
    private readonly OutageLog _writing = new("Writing to the database", logger); // a read-only database still serves reads
    private readonly CancellationTokenSource _ending = new();
    private readonly Lock _gate = new();
    private Task? _preparation;

    // Null if transactions are serial anyway: the limiter's timer wakes the process every 100 ms.
    private readonly PartitionedRateLimiter<string>? _turns = engine.IsSerial
        ? null
        : PartitionedRateLimiter.Create<string, string>(key =>
            RateLimitPartition.GetConcurrencyLimiter(key, _ => new() { PermitLimit = 1, QueueLimit = int.MaxValue })
        );

    /// <inheritdoc cref="IDatabaseEngine.IsSerial"/>
    public bool IsSerial => engine.IsSerial;

    /// <returns>The number of affected rows.</returns>
    public Task<int> ExecuteAsync(string sql, object? parameters, CancellationToken cancellationToken) =>
        RunAsync(
            sql,
            connection => engine.WriteAsync(connection, new(sql, parameters, cancellationToken: cancellationToken)),
            _writing,
            cancellationToken
        );

    public Task<IEnumerable<T>> QueryAsync<T>(string sql, object? parameters, CancellationToken cancellationToken) =>
        RunAsync(
            sql,
            connection =>
                connection.QueryAsync<T>(new CommandDefinition(sql, parameters, cancellationToken: cancellationToken)),
            _outage,
            cancellationToken
        );

    public Task ProbeAsync(CancellationToken cancellationToken) =>
        ExecuteAsync(
            string.Concat(schema.Tables.Select(table => $"delete from {table} where 1 = 0;")),
            null,
            cancellationToken
        );

    /// <summary>
    /// Runs a transaction. Transactions with the same key, and on SQLite all transactions, are serialized across processes.
    /// </summary>
    public async Task<T> TransactionAsync<T>(
        string key,
        Func<DbConnection, Task<T>> work,
        CancellationToken cancellationToken
    )
    {
        using var turn = await TakeTurnAsync(key, cancellationToken);
        return await RunAsync(
            "TRANSACTION",
            connection => engine.TransactionAsync(connection, key, () => work(connection), cancellationToken),
            _writing,
            cancellationToken
        );
    }

    /// <summary>Migrates the tables and grants permissions on them.</summary>
    internal Task<IReadOnlyList<string>> MigrateAsync(string? grantTo, CancellationToken cancellationToken) =>
        TranslateErrorsAsync(
            () => Task.Run(() => schema.Apply(grantTo), cancellationToken),
            _writing,
            cancellationToken
        );

    /// <summary>Queues transactions before they open a connection, of which there are few.</summary>
    private async Task<RateLimitLease?> TakeTurnAsync(string key, CancellationToken cancellationToken)
    {
        if (_turns is null)
            return null;
        using var waiting = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        waiting.CancelAfter(_writeTimeout);
        return await TranslateErrorsAsync(
            () => _turns.AcquireAsync(key, cancellationToken: waiting.Token).AsTask(),
            _writing,
            cancellationToken
        );
    }

    /// <param name="sql">The statement; its first word is the operation in metrics.</param>
    private Task<T> RunAsync<T>(
        string sql,
        Func<DbConnection, Task<T>> statement,
        OutageLog outage,
        CancellationToken cancellationToken
    )
    {
        return metrics.MeasureAsync(
            engine.SystemName,
            operation: sql.Split([' ', '\n'], 2)[0].ToUpperInvariant(),
            RunPreparedAsync,
            StoreErrors.CodeOf
        );

        async Task<T> RunPreparedAsync()
        {
            await PrepareAsync(cancellationToken);
            return await TranslateErrorsAsync(RunOnConnectionAsync, outage, cancellationToken);
        }

        async Task<T> RunOnConnectionAsync()
        {
            await using var connection = await engine.OpenAsync(cancellationToken);
            return await statement(connection);
        }
    }

    // Shared by all callers and not cancelled with them, because a migration may outlast a health probe.
    private Task PrepareAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_preparation is { IsCompletedSuccessfully: true })
                return Task.CompletedTask;
            if (_preparation is not { IsCompleted: false })
                _preparation = Task.Run(() => TranslateErrorsAsync(PrepareTablesAsync, _outage, _ending.Token));
            return _preparation.WaitAsync(cancellationToken);
        }
    }

    private async Task<bool> PrepareTablesAsync()
    {
        await using var connection = await engine.OpenAsync(_ending.Token);
        await schema.PrepareAsync(connection, options.Value.MigrateOnStart, _ending.Token);
        return true;
    }

    private async Task<T> TranslateErrorsAsync<T>(
        Func<Task<T>> work,
        OutageLog outage,
        CancellationToken cancellationToken
    )
    {
        try
        {
            var result = await work();
            _outage.Succeeded();
            outage.Succeeded();
            return result;
        }
        catch (MigrationException exception)
        {
            throw Unavailable("not-migrated", "The database is not ready", MissingTablesMessage, exception, _outage);
        }
        catch (Exception exception) when (StoreErrors.IsUnavailable(exception))
        {
            cancellationToken.ThrowIfCancellationRequested();
            engine.Recover(exception);
            throw Unavailable("unavailable", "The database is unavailable", UnavailableMessage, exception, outage);
        }
    }

    private DependencyUnavailableException Unavailable(
        string type,
        string title,
        string detail,
        Exception exception,
        OutageLog outage
    )
    {
        var cause =
            exception is OperationCanceledException
                ? $"Other writers locked the database for {_writeTimeout} (Database:WriteTimeout)."
                : $"{exception.Message} {exception.InnerException?.Message}".TrimEnd();
        outage.Failed(cause);
        return new($"urn:drone-delivery:database-{type}", title, detail, RetryAfter, exception, cause);
    }

    public void Dispose()
    {
        _ending.Cancel();
        _ending.Dispose();
        _turns?.Dispose();
    }
}
