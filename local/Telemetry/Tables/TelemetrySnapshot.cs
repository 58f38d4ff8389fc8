namespace DroneDelivery.Telemetry.Tables;

/// <summary>Every table of a run at one moment: what a query reads.</summary>
public sealed class TelemetrySnapshot(IEnumerable<TableSnapshot> tables)
{
    /// <summary>By name.</summary>
    public IReadOnlyDictionary<string, TableSnapshot> Tables { get; } = tables.ToDictionary(table => table.Schema.Name);
}
