namespace DroneDelivery.Telemetry.Tables;

/// <summary>A run of rows of one table, immutable.</summary>
internal sealed class Chunk(int length, StoredColumn[] columns)
{
    /// <summary>Rows of a full chunk: with the empty text that is one code for each value of a 16-bit code.</summary>
    public const int Capacity = 65_535;

    public int Length => length;

    public long SizeInBytes => columns.Sum(column => column.SizeInBytes);

    public Column Read(int column) => columns[column].Read();
}
