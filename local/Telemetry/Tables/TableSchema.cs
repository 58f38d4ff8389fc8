namespace DroneDelivery.Telemetry.Tables;

public readonly record struct ColumnSchema(string Name, ColumnType Type);

/// <summary>Name and columns of a table, in the order in which a query without <c>project</c> shows them.</summary>
public sealed class TableSchema(string name, IReadOnlyList<ColumnSchema> columns)
{
    public string Name { get; } = name;

    public IReadOnlyList<ColumnSchema> Columns { get; } = columns;

    /// <summary>Reads <c>"timestamp:datetime, name:string"</c>.</summary>
    public static TableSchema Parse(string name, string columns) =>
        new(
            name,
            [
                .. columns
                    .Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
                    .Select(ParseColumn),
            ]
        );

    /// <summary>Position of a column; −1 when there is none of that name.</summary>
    public int IndexOf(string column)
    {
        for (var i = 0; i < Columns.Count; i++)
        {
            if (Columns[i].Name == column)
                return i;
        }
        return -1;
    }

    private static ColumnSchema ParseColumn(string text)
    {
        var (name, type) = text.Split(':') is [var n, var t]
            ? (n, t)
            : throw new ArgumentException($"'{text}' is not name:type.");
        return new(
            name,
            ColumnTypes.Find(type) ?? throw new ArgumentException($"'{type}' of column '{name}' is not a column type.")
        );
    }
}
