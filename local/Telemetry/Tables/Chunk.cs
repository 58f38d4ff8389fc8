namespace DroneDelivery.Telemetry.Tables;

/// <summary>A run of rows of one table, immutable.</summary>
/// <param name="newest">Time of its last row, in ticks; 0 where rows have none.</param>
internal sealed class Chunk(int length, StoredColumn[] columns, long newest = 0)
{
    /// <summary>Rows of a full chunk: with the empty text that is one code for each value of a 16-bit code.</summary>
    public const int Capacity = 65_535;

    public int Length => length;

    public long Newest => newest;

    public long SizeInBytes { get; } = columns.Sum(column => column.SizeInBytes);

    public Column Read(int column) => columns[column].Read();
}
