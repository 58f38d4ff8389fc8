using System.Globalization;

namespace DroneDelivery.Telemetry.Tables;

/// <summary>The id of an item is its row's number: nothing to store.</summary>
internal sealed class RowNumbers(long first, int length) : StoredColumn
{
    public override long SizeInBytes => 0;

    public override Column Read() =>
        new Values<string>(
            ColumnType.String,
            [.. Enumerable.Range(0, length).Select(i => (first + i).ToString("x8", CultureInfo.InvariantCulture))],
            null,
            length
        );
}

internal sealed class RowNumbersBuilder(long first) : ColumnBuilder
{
    public override void AppendNull() => Count++;

    public override StoredColumn View() => new RowNumbers(first, Count);

    public override StoredColumn Seal() => View();
}
