namespace DroneDelivery.Telemetry.Tables;

public readonly record struct ColumnSchema(string Name, ColumnType Type);

/// <summary>The name and columns of a table, in the default order of results.</summary>
public sealed class TableSchema(string name, IReadOnlyList<ColumnSchema> columns)
{
    private readonly Dictionary<string, int> _positions = columns
        .Index()
        .ToDictionary(column => column.Item.Name, column => column.Index);

    public string Name { get; } = name;

    public IReadOnlyList<ColumnSchema> Columns { get; } = columns;

    /// <summary>Parses <c>"timestamp:datetime, name:string"</c>.</summary>
    public static TableSchema Parse(string name, string columns) =>
        new(
            name,
            [
                .. columns
                    .Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
                    .Select(ParseColumn),
            ]
        );

    public int IndexOf(string column) => _positions.GetValueOrDefault(column, -1);

    private static ColumnSchema ParseColumn(string text) =>
        text.Split(':') is [var name, var type] && ColumnTypes.Find(type) is { } found
            ? new(name, found)
            : throw new ArgumentException($"'{text}' is not name:type.");
}
