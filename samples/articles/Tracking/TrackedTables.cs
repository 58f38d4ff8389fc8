using Microsoft.Extensions.Options;

namespace DroneDelivery.Tracking;

/// <summary>The allowed tables, so that clients can't create any number of them. Table Storage ignores case in names.</summary>
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
