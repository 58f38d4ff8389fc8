using System.Globalization;

namespace DroneDelivery.Telemetry.Tables;

/// <param name="columns">The columns; <c>null</c> for item IDs, which are the row numbers.</param>
/// <param name="texts">The size of the distinct strings, in bytes.</param>
/// <param name="newest">The time of the last row, in ticks; 0 without a time column.</param>
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
