using System.Runtime.CompilerServices;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>A batch of rows between two steps. Columns are read or computed on first use, so unused ones cost
/// nothing.</summary>
internal sealed class Batch(int length, int columns, Func<int, Column> read)
{
    public static readonly Batch OneRow = new(1, 0, _ =>
        throw new InvalidOperationException("The row has no columns.")
    );

    private readonly Column?[] _columns = new Column?[columns];

    public int Length => length;

    public int Columns => columns;

    public Column this[int column]
    {
        get
        {
            if (_columns[column] is { } known)
                return known;
            RuntimeHelpers.EnsureSufficientExecutionStack(); // Steps read from each other recursively.
            return _columns[column] = read(column);
        }
    }

    public static Batch Of(params Column[] columns) =>
        new(columns.Length == 0 ? 0 : columns[0].Length, columns.Length, i => columns[i]);

    public Batch Take(int[] rows) => new(rows.Length, columns, i => this[i].Take(rows));

    public Batch First(int rows) => rows >= length ? this : Take([.. Enumerable.Range(0, rows)]);
}
