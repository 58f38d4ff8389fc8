using System.Globalization;

namespace DroneDelivery.Telemetry.Tables;

/// <summary>A run of rows of one table, immutable.</summary>
/// <param name="first">Number of its first row in the table.</param>
/// <param name="columns">Null for the ids of items, which are the numbers of the rows.</param>
/// <param name="texts">Bytes of its distinct texts.</param>
/// <param name="newest">Time of its last row, in ticks; 0 where rows have none.</param>
internal sealed class Chunk(int length, long first, Column?[] columns, long texts, long newest)
{
    public const int Capacity = 65_536;

    public int Length => length;

    public long Newest => newest;

    public long SizeInBytes { get; } = texts + columns.Sum(column => column?.SizeInBytes ?? 0);

    public static int NextCapacity(int capacity) => Math.Clamp(capacity * 2, 256, Capacity);

    public Column Read(int column) => columns[column] ?? ItemIds();

    private Values<string> ItemIds()
    {
        var ids = new string[length];
        for (var row = 0; row < length; row++)
            ids[row] = (first + row).ToString("x8", CultureInfo.InvariantCulture);
        return new(ColumnType.String, ids, null, length);
    }
}
