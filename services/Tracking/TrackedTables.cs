using System.Collections.Concurrent;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Tracking;

/// <summary>Which tables hits may go to, so that no client makes tables without end. Table Storage ignores case in their names.</summary>
internal sealed class TrackedTables
{
    private readonly ConcurrentDictionary<string, bool> _admitted = new(StringComparer.OrdinalIgnoreCase);
    private readonly bool _isList;
    private readonly int _most;
    private int _count;

    public TrackedTables(IOptions<TrackingOptions> options)
    {
        _most = options.Value.MaxTables;
        foreach (var table in options.Value.Tables)
            _admitted[table] = _isList = true;
    }

    public bool Admits(string table) => _admitted.ContainsKey(table) || (!_isList && TryAdd(table));

    private bool TryAdd(string table)
    {
        if (Interlocked.Increment(ref _count) <= _most && _admitted.TryAdd(table, true))
            return true;
        Interlocked.Decrement(ref _count);
        return _admitted.ContainsKey(table);
    }
}
