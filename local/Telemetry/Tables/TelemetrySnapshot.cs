namespace DroneDelivery.Telemetry.Tables;

/// <summary>A snapshot of all tables of a run, for queries.</summary>
public sealed class TelemetrySnapshot(IEnumerable<TableSnapshot> tables)
{
    /// <summary>The tables by name.</summary>
    public IReadOnlyDictionary<string, TableSnapshot> Tables { get; } = tables.ToDictionary(table => table.Schema.Name);
}
