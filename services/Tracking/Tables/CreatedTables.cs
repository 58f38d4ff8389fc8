using System.Collections.Concurrent;

namespace DroneDelivery.Tracking.Tables;

/// <summary>Creates each table once, before its first hit. After a failure the next hit tries again.</summary>
/// <remarks>As many as <see cref="TrackedTables"/> admits.</remarks>
internal sealed class CreatedTables(ITableServer server)
{
    private readonly ConcurrentDictionary<string, Task> _tables = new(StringComparer.OrdinalIgnoreCase);

    /// <exception cref="TableServerException">It could not be created.</exception>
    public Task EnsureAsync(string table) =>
        _tables.TryGetValue(table, out var creation) && creation is { IsFaulted: false, IsCanceled: false }
            ? creation
            : Create(table);

    /// <summary>Somebody has deleted it.</summary>
    public void Forget(string table) => _tables.TryRemove(table, out _);

    private Task Create(string table)
    {
        lock (_tables)
        {
            if (_tables.TryGetValue(table, out var creation) && creation is { IsFaulted: false, IsCanceled: false })
                return creation;
            return _tables[table] = server.CreateTableAsync(table, CancellationToken.None);
        }
    }
}
