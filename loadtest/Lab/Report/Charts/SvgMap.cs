namespace DroneDelivery.Lab.Report;

/// <summary>A component or store of the application map.</summary>
internal sealed record MapNode(string Id, string Name, IReadOnlyList<string> Lines, string? Failures);

/// <param name="IsReply">Whether it goes against the flow, such as a settlement, and doesn't affect the layout.</param>
internal sealed record MapEdge(
    string From,
    string To,
    IReadOnlyList<string> Lines,
    string? Failures,
    bool IsReply = false
);

internal sealed record MapDrawing(
    string Id,
    string Description,
    IReadOnlyList<MapNode> Nodes,
    IReadOnlyList<MapEdge> Edges
);

/// <summary>Writes an application map as an HTML <c>figure</c>: nodes in columns, calls as arrows, failures in red.</summary>
internal static class SvgMap
{
    private const double LineHeight = 14;

    public static Html Render(MapDrawing map, Html source = default)
    {
        var layout = new MapLayout(map);
        return Html.Of(
            $"""
            <figure class="map" id="{map.Id}">
            <div class="scroll">
            <svg viewBox="0 0 {layout.Width:0.#} {layout.Height:0.#}" role="img" aria-labelledby="{map.Id}-says">
            <title>Application map</title>
            {map.Edges.Select(edge => Edge(edge, layout))}
            {map.Nodes.Select(node => Node(node, layout))}
            </svg></div>
            <p class="says" id="{map.Id}-says">{map.Description}</p>
            {source}
            </figure>

            """
        );
    }

    private static Html Node(MapNode node, MapLayout layout)
    {
        var (left, middle) = (layout.Left(node.Id), layout.Middle(node.Id));
        IReadOnlyList<(string Text, string Class)> lines =
        [
            (node.Name, "name"),
            .. node.Lines.Select(line => (line, "")),
            .. Failures(node.Failures),
        ];
        var top = middle - MapLayout.NodeHeight / 2;
        var box = Html.Of(
            $"""<rect x="{left:0.#}" y="{top:0.#}" width="{MapLayout.NodeWidth}" height="{MapLayout.NodeHeight}" rx="6"/>"""
        );
        return Html.Of(
            $"""
            <g class="node{(node.Failures is null ? "" : " failing")}">{box}
            {Stack(lines, left + MapLayout.NodeWidth / 2, middle)}</g>

            """
        );
    }

    /// <summary>Renders an arrow with its text near the head, where arrows of one node are apart.</summary>
    private static Html Edge(MapEdge edge, MapLayout layout)
    {
        var (from, to, shift) = edge.IsReply
            ? (layout.Left(edge.From), layout.Right(edge.To), 20.0)
            : (layout.Right(edge.From), layout.Left(edge.To), 0.0);
        var (start, end) = (layout.Middle(edge.From) + shift, layout.Middle(edge.To) + shift);
        var direction = Math.Sign(to - from);
        var bend = (from + to) / 2 - direction * MapLayout.Gap * 0.25;
        IReadOnlyList<(string Text, string Class)> lines =
        [
            .. edge.Lines.Select(line => (line, "")),
            .. Failures(edge.Failures),
        ];
        // Below an arrow that comes from above; otherwise, above it.
        var side = edge.IsReply || end > start ? 1 : -1;
        var text = end + side * (6 + lines.Count * LineHeight / 2);
        var curve = Html.Of(
            $"""<path d="M{from:0.#} {start:0.#}C{bend:0.#} {start:0.#} {bend:0.#} {end:0.#} {to - direction * 7:0.#} {end:0.#}"/>"""
        );
        return Html.Of(
            $"""
            <g class="edge{(edge.Failures is null ? "" : " failing")}" data-edge="{edge.From} {edge.To}">{curve}
            <path class="head" d="M{to:0.#} {end:0.#}l{-direction * 9} -4.5v9z"/>
            {Stack(lines, to - direction * MapLayout.Gap * 0.46, text)}</g>

            """
        );
    }

    private static IEnumerable<(string Text, string Class)> Failures(string? failures) =>
        failures is null ? [] : [(failures, "fails")];

    private static IEnumerable<Html> Stack(IReadOnlyList<(string Text, string Class)> lines, double x, double middle) =>
        lines.Select(
            (line, i) =>
                Html.Of(
                    $"""<text class="{line.Class}" x="{x:0.#}" y="{middle + (i - (lines.Count - 1) / 2.0) * LineHeight + 4:0.#}">"""
                        + $"""{line.Text}</text> """
                )
        );
}

/// <summary>Positions nodes in columns: each node is one column after the last one that calls it.</summary>
internal sealed class MapLayout
{
    public const double NodeWidth = 142,
        NodeHeight = 70,
        Gap = 112;
    private const double RowHeight = 104,
        Margin = 4;
    private readonly Dictionary<string, (int Column, int Row, int Rows)> _places = [];
    private readonly int _columns,
        _rows;

    public MapLayout(MapDrawing map)
    {
        var columns = ColumnsOf(map);
        foreach (var column in map.Nodes.GroupBy(node => columns[node.Id]))
        {
            foreach (var (row, node) in column.Index())
                _places[node.Id] = (column.Key, row, column.Count());
        }

        _columns = _places.Values.Select(place => place.Column + 1).DefaultIfEmpty(1).Max();
        _rows = _places.Values.Select(place => place.Rows).DefaultIfEmpty(1).Max();
    }

    public double Width => _columns * NodeWidth + (_columns - 1) * Gap + 2 * Margin;

    public double Height => _rows * RowHeight + 2 * Margin;

    public double Left(string node) => Margin + _places[node].Column * (NodeWidth + Gap);

    public double Right(string node) => Left(node) + NodeWidth;

    /// <summary>Returns the middle of a node. Shorter columns are centered.</summary>
    public double Middle(string node)
    {
        var (_, row, rows) = _places[node];
        return Margin + (_rows - rows) * RowHeight / 2 + (row + 0.5) * RowHeight;
    }

    /// <summary>
    /// Returns the longest path from a node without callers. In a cycle, counting stops after as many rounds as there are nodes.
    /// </summary>
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
