namespace DroneDelivery.Lab.Report;

/// <summary>A component or store of the application map.</summary>
/// <param name="Id">Unique; edges name it.</param>
/// <param name="Failures">In red; null where nothing failed.</param>
internal sealed record MapNode(string Id, string Name, IReadOnlyList<string> Lines, string? Failures)
{
    /// <summary>Where it leads, and what is there, for those who hear it: <c>its failures</c>; null: nowhere.</summary>
    public (string Href, string Says)? Link { get; init; }
}

/// <summary>Calls from one node to another.</summary>
/// <param name="Failures">In red; null where nothing failed.</param>
/// <param name="IsReply">Against the stream, as a settlement goes back to the queue: it does not decide where nodes stand.</param>
internal sealed record MapEdge(string From, string To, IReadOnlyList<string> Lines, string? Failures, bool IsReply = false);

/// <summary>Who calls whom.</summary>
internal sealed record MapDrawing(string Id, string Description, IReadOnlyList<MapNode> Nodes, IReadOnlyList<MapEdge> Edges);
