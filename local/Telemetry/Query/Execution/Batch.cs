using System.Runtime.CompilerServices;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Rows on their way from one step to the next. A column is read or computed when somebody first asks for it: what a query does
/// not name costs nothing.</summary>
internal sealed class Batch(int length, int columns, Func<int, Column> read)
{
    /// <summary>For what depends on no row.</summary>
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
            RuntimeHelpers.EnsureSufficientExecutionStack(); // one step reads from the one before it
            return _columns[column] = read(column);
        }
    }

    public static Batch Of(params Column[] columns) =>
        new(columns.Length == 0 ? 0 : columns[0].Length, columns.Length, i => columns[i]);

    public Batch Take(int[] rows) => new(rows.Length, columns, i => this[i].Take(rows));

    /// <summary>The first rows.</summary>
    public Batch First(int rows) => rows >= length ? this : Take([.. Enumerable.Range(0, rows)]);
}
