using System.Data.Common;
using Dapper;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Database;

/// <summary>
/// Statements on SQLite or PostgreSQL, each on its own, or several that follow from each other, one such group at a time. Tables are
/// created on first use, so a service starts, and says in <c>/health/ready</c> that its database is away, while it is.
/// </summary>
/// <exception cref="DependencyUnavailableException">From every method, when the database is away or stays locked.</exception>
public sealed class SqlDatabase : IDisposable
{
    public const string DoesNotAnswer = "The database does not answer.";

    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    private readonly IDatabaseEngine _engine;
    private readonly string _schema;
    private readonly Outage _outage, _writing; // two: a database that cannot be written goes on answering reads
    private readonly SemaphoreSlim _creating = new(1);
    private volatile bool _created;

    internal SqlDatabase(IDatabaseEngine engine, string schema, ILogger<SqlDatabase> logger)
    {
        _engine = engine;
        _schema = schema;
        _outage = new Outage("Database", logger);
        _writing = new Outage("Writing to the database", logger);
    }

    /// <returns>Rows affected.</returns>
    public Task<int> ExecuteAsync(string sql, object? parameters, CancellationToken cancellationToken) =>
        RunAsync(connection => _engine.WriteAsync(connection, Command(sql, parameters, cancellationToken)), cancellationToken, _writing);

    /// <summary>Whether statements would succeed, those that write too.</summary>
    public Task ProbeAsync(CancellationToken cancellationToken) => RunAsync(
        async connection =>
        {
            await _engine.ProbeAsync(connection, cancellationToken);
            return true;
        },
        cancellationToken,
        _writing);

    /// <returns>The only row, or null.</returns>
    public Task<T?> FindAsync<T>(string sql, object? parameters, CancellationToken cancellationToken) =>
        RunAsync(connection => connection.QuerySingleOrDefaultAsync<T>(Command(sql, parameters, cancellationToken)), cancellationToken);

    public Task<T> SingleAsync<T>(string sql, object? parameters, CancellationToken cancellationToken) =>
        RunAsync(connection => connection.QuerySingleAsync<T>(Command(sql, parameters, cancellationToken)), cancellationToken);

    public async Task<IReadOnlyList<T>> QueryAsync<T>(string sql, object? parameters, CancellationToken cancellationToken) =>
        (await RunAsync(connection => connection.QueryAsync<T>(Command(sql, parameters, cancellationToken)), cancellationToken)).AsList();

    /// <summary>
    /// Statements that follow from each other, as one transaction: all of them or, when <paramref name="work"/> throws, none. It sees all
    /// that was done before and nothing that is done beside it, for no other runs at the same time, in whatever process. So keep it short.
    /// </summary>
    public Task<T> ExclusiveAsync<T>(Func<SqlSession, Task<T>> work, CancellationToken cancellationToken) => RunAsync(
        connection => _engine.ExclusiveAsync(connection, () => work(new SqlSession(connection, cancellationToken)), cancellationToken),
        cancellationToken,
        _writing);

    private static CommandDefinition Command(string sql, object? parameters, CancellationToken cancellationToken) =>
        new(sql, parameters, cancellationToken: cancellationToken);

    private async Task<T> RunAsync<T>(Func<DbConnection, Task<T>> statement, CancellationToken cancellationToken, Outage? writing = null)
    {
        try
        {
            await using var connection = await _engine.OpenAsync(cancellationToken);
            if (!_created)
                await CreateSchemaAsync(connection, cancellationToken);
            var result = await statement(connection);
            _outage.Succeeded();
            writing?.Succeeded();
            return result;
        }
        catch (DbException exception) when (_engine.IsUnavailable(exception))
        {
            _engine.Recover(exception);
            (writing ?? _outage).Failed(exception.Message);
            throw new DependencyUnavailableException(
                "urn:drone-delivery:database-unavailable",
                "The database does not answer",
                DoesNotAnswer,
                RetryAfter,
                exception,
                exception.Message);
        }
    }

    private async Task CreateSchemaAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        await _creating.WaitAsync(cancellationToken);
        try
        {
            if (!_created)
                await _engine.CreateSchemaAsync(connection, _schema, cancellationToken);
            _created = true;
        }
        finally
        {
            _creating.Release();
        }
    }

    public void Dispose()
    {
        _creating.Dispose();
        _engine.Dispose();
    }
}
