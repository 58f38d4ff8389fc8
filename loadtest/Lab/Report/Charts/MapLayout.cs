namespace DroneDelivery.Lab.Report;

/// <summary>Where the nodes of a map stand: in columns from left to right, each one column after the last that calls it.</summary>
internal sealed class MapLayout
{
    public const double NodeWidth = 142, NodeHeight = 70, Gap = 112;
    private const double RowHeight = 104, Margin = 4;
    private readonly Dictionary<string, (int Column, int Row, int Rows)> _places = [];

    public MapLayout(MapDrawing map)
    {
        var columns = ColumnsOf(map);
        foreach (var column in map.Nodes.GroupBy(node => columns[node.Id]))
        {
            foreach (var (row, node) in column.Index())
                _places[node.Id] = (column.Key, row, column.Count());
        }

        Columns = _places.Values.Select(place => place.Column + 1).DefaultIfEmpty(1).Max();
        Rows = _places.Values.Select(place => place.Rows).DefaultIfEmpty(1).Max();
    }

    public double Width => Columns * NodeWidth + (Columns - 1) * Gap + 2 * Margin;

    public double Height => Rows * RowHeight + 2 * Margin;

    private int Columns { get; }

    private int Rows { get; }

    public double Left(string node) => Margin + _places[node].Column * (NodeWidth + Gap);

    public double Right(string node) => Left(node) + NodeWidth;

    /// <summary>Of the node's middle. Columns with fewer nodes are centred.</summary>
    public double Middle(string node)
    {
        var (_, row, rows) = _places[node];
        return Margin + (Rows - rows) * RowHeight / 2 + (row + 0.5) * RowHeight;
    }

    /// <summary>The longest way from a node that nobody calls. A circle of calls ends after as many rounds as there are nodes.</summary>
    private static Dictionary<string, int> ColumnsOf(MapDrawing map)
    {
        var columns = map.Nodes.ToDictionary(node => node.Id, _ => 0);
        var forward = map.Edges.Where(edge => !edge.IsReply && edge.From != edge.To).ToList();
        for (var round = 0; round < map.Nodes.Count; round++)
        {
            foreach (var edge in forward)
                columns[edge.To] = Math.Min(map.Nodes.Count - 1, Math.Max(columns[edge.To], columns[edge.From] + 1));
        }

        return columns;
    }
}
