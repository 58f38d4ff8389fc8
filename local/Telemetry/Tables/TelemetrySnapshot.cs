namespace DroneDelivery.Telemetry.Tables;

public sealed class TelemetrySnapshot(IEnumerable<TableSnapshot> tables)
{
    public IReadOnlyDictionary<string, TableSnapshot> Tables { get; } = tables.ToDictionary(table => table.Schema.Name);
}
