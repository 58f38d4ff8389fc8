using System.Data.Common;
using Dapper;
using DroneDelivery.Database.Migrations;
using DroneDelivery.ServiceDefaults.Errors;
using DroneDelivery.ServiceDefaults.Metrics;

namespace DroneDelivery.Database;

/// <summary>
/// Statements on SQLite or PostgreSQL, each on its own, or several that follow from each other, one such group at a time. Tables are
/// looked after on first use, so a service starts, and says in <c>/health/ready</c> that its database is away, while it is.
/// </summary>
/// <exception cref="DependencyUnavailableException">
/// From every method, when the database is away, stays locked, or has not the tables of this version.
/// </exception>
public sealed class SqlDatabase : IDisposable
{
    public const string DoesNotAnswer = "The database does not answer.";

    public const string LacksTables =
        $"The database has not the tables that this version of the service needs: {MigrateCommand.Argument} makes them.";

    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    private readonly IDatabaseEngine _engine;
    private readonly StatementMetrics _metrics;
    private readonly Migrator _migrator;
    private readonly bool _migrateOnStart;
    private readonly Outage _outage,
        _writing; // two: a database that cannot be written goes on answering reads
    private readonly CancellationTokenSource _ending = new();
    private readonly Lock _gate = new();
    private Task? _preparation;
    private volatile bool _isPrepared;

    internal SqlDatabase(
        IDatabaseEngine engine,
        Migrator migrator,
        bool migrateOnStart,
        StoreMetrics metrics,
        ILogger<SqlDatabase> logger
    )
    {
        (_engine, _migrator, _migrateOnStart) = (engine, migrator, migrateOnStart);
        _metrics = new StatementMetrics(metrics, engine.SystemName);
        _outage = new Outage("Database", logger);
        _writing = new Outage("Writing to the database", logger);
    }

    /// <inheritdoc cref="IDatabaseEngine.IsSerial"/>
    public bool IsSerial => _engine.IsSerial;

    /// <returns>Rows affected.</returns>
    public Task<int> ExecuteAsync(string sql, object? parameters, CancellationToken cancellationToken) =>
        RunAsync(sql, parameters, _engine.WriteAsync, _writing, cancellationToken);

    /// <returns>The only row, or null.</returns>
    public Task<T?> FindAsync<T>(string sql, object? parameters, CancellationToken cancellationToken) =>
        RunAsync(sql, parameters, SqlMapper.QuerySingleOrDefaultAsync<T>, null, cancellationToken);

    public Task<T> SingleAsync<T>(string sql, object? parameters, CancellationToken cancellationToken) =>
        RunAsync(sql, parameters, SqlMapper.QuerySingleAsync<T>, null, cancellationToken);

    public async Task<IReadOnlyList<T>> QueryAsync<T>(
        string sql,
        object? parameters,
        CancellationToken cancellationToken
    ) => (await RunAsync(sql, parameters, SqlMapper.QueryAsync<T>, null, cancellationToken)).AsList();

    /// <summary>Whether statements would succeed, those that write too.</summary>
    public Task ProbeAsync(CancellationToken cancellationToken) =>
        RunAsync(connection => _engine.ProbeAsync(connection, cancellationToken), cancellationToken, _writing);

    /// <summary>
    /// Statements that follow from each other, as one transaction: all of them or, when <paramref name="work"/> throws, none. It sees all
    /// that was done before and nothing that is done beside it, for no other runs at the same time, in whatever process. So keep it short.
    /// </summary>
    public Task<T> ExclusiveAsync<T>(Func<DbConnection, Task<T>> work, CancellationToken cancellationToken) =>
        _metrics.MeasureAsync("TRANSACTION", () =>
            RunAsync(
                connection => _engine.ExclusiveAsync(connection, () => work(connection), cancellationToken),
                cancellationToken,
                _writing
            )
        );

    /// <summary>Changes the tables, if this version needs others, and says who may use them.</summary>
    /// <returns>The names of the migrations that were missing.</returns>
    internal Task<IReadOnlyList<string>> MigrateAsync(string? grantTo, CancellationToken cancellationToken) =>
        AnswerAsync(
            async () =>
            {
                await using var connection = await _engine.OpenAsync(cancellationToken);
                await _engine.PrepareAsync(connection, cancellationToken);
                var applied = await _migrator.ApplyAsync(connection, cancellationToken);
                if (grantTo is not null)
                    await _migrator.GrantAsync(connection, grantTo, cancellationToken);
                return applied;
            },
            _writing
        );

    private Task<T> RunAsync<T>(
        string sql,
        object? parameters,
        Func<DbConnection, CommandDefinition, Task<T>> run,
        Outage? writing,
        CancellationToken cancellationToken
    ) =>
        _metrics.MeasureAsync(sql, () =>
            RunAsync(
                connection => run(connection, new(sql, parameters, cancellationToken: cancellationToken)),
                cancellationToken,
                writing
            )
        );

    private async Task<T> RunAsync<T>(
        Func<DbConnection, Task<T>> statement,
        CancellationToken cancellationToken,
        Outage? writing = null
    )
    {
        if (!_isPrepared)
            await PrepareAsync(cancellationToken);
        return await AnswerAsync(
            async () =>
            {
                await using var connection = await _engine.OpenAsync(cancellationToken);
                return await statement(connection);
            },
            writing
        );
    }

    // One for all who wait for it, and not ended by whoever gives up first: a probe has little patience, a migration may take long.
    private Task PrepareAsync(CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            if (_preparation is null or { IsCompleted: true, IsCompletedSuccessfully: false })
                _preparation = AnswerAsync(LookAfterTablesAsync);
            return _preparation.WaitAsync(cancellationToken);
        }
    }

    private async Task<bool> LookAfterTablesAsync()
    {
        await Task.Yield(); // SQLite works on the caller's thread, and this one holds the gate
        await using var connection = await _engine.OpenAsync(_ending.Token);
        await _engine.PrepareAsync(connection, _ending.Token);
        if (_migrateOnStart)
            await _migrator.ApplyAsync(connection, _ending.Token);
        else
            await _migrator.RequireAsync(connection, _ending.Token);
        return _isPrepared = true;
    }

    private async Task<T> AnswerAsync<T>(Func<Task<T>> work, Outage? writing = null)
    {
        try
        {
            var result = await work();
            _outage.Succeeded();
            writing?.Succeeded();
            return result;
        }
        catch (DbException exception) when (_engine.IsUnavailable(exception))
        {
            _engine.Recover(exception);
            (writing ?? _outage).Failed(exception.Message);
            throw Unavailable(
                "urn:drone-delivery:database-unavailable",
                "The database does not answer",
                DoesNotAnswer,
                exception
            );
        }
        catch (MigrationException exception)
        {
            _outage.Failed(exception.Message);
            throw Unavailable(
                "urn:drone-delivery:database-not-migrated",
                "The database is not ready",
                LacksTables,
                exception
            );
        }
    }

    private static DependencyUnavailableException Unavailable(
        string type,
        string title,
        string detail,
        Exception cause
    ) => new(type, title, detail, RetryAfter, cause, cause.Message);

    public void Dispose()
    {
        _ending.Cancel();
        _ending.Dispose();
        _engine.Dispose();
    }
}
