using Microsoft.Extensions.Options;

namespace DroneDelivery.Tracking;

/// <summary>Which tables hits may go to, so that no client makes tables without end. Table Storage ignores case in their names.</summary>
internal sealed class TrackedTables(IOptions<TrackingOptions> options)
{
    private readonly HashSet<string> _admitted = new(options.Value.Tables, StringComparer.OrdinalIgnoreCase);
    private readonly int _most = options.Value.Tables.Length > 0 ? 0 : options.Value.MaxTables;

    public bool Admits(string table)
    {
        lock (_admitted)
            return _admitted.Contains(table) || (_admitted.Count < _most && _admitted.Add(table));
    }
}
