using System.Data.Common;
using Dapper;

namespace DroneDelivery.Database;

/// <summary>The statements of one transaction of <see cref="SqlDatabase.ExclusiveAsync"/>.</summary>
public sealed class SqlSession
{
    private readonly DbConnection _connection;
    private readonly CancellationToken _cancellationToken;

    internal SqlSession(DbConnection connection, CancellationToken cancellationToken) =>
        (_connection, _cancellationToken) = (connection, cancellationToken);

    /// <returns>Rows affected.</returns>
    public Task<int> ExecuteAsync(string sql, object? parameters) => _connection.ExecuteAsync(Command(sql, parameters));

    /// <returns>The only row, or null.</returns>
    public Task<T?> FindAsync<T>(string sql, object? parameters) => _connection.QuerySingleOrDefaultAsync<T>(Command(sql, parameters));

    public async Task<IReadOnlyList<T>> QueryAsync<T>(string sql, object? parameters) =>
        (await _connection.QueryAsync<T>(Command(sql, parameters))).AsList();

    private CommandDefinition Command(string sql, object? parameters) => new(sql, parameters, cancellationToken: _cancellationToken);
}
