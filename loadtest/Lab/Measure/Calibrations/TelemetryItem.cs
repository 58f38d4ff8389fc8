namespace DroneDelivery.Lab.Measure;

/// <summary>What an item of telemetry tells.</summary>
internal enum ItemKind
{
    /// <summary>A call that the role made.</summary>
    Dependency,

    /// <summary>A request or message that the role handled.</summary>
    Request,

    /// <summary>CPU that a process of the role used since the item before: percent of one core.</summary>
    ProcessCpu,

    /// <summary>CPU of a node, percent of what it has.</summary>
    NodeCpu,
}

/// <summary>One item, wherever it comes from.</summary>
/// <param name="Role">The service; of <see cref="ItemKind.NodeCpu"/> nothing.</param>
/// <param name="Value">Milliseconds of a call or request, otherwise percent.</param>
/// <param name="Count">Items that it stands for: a sampled one stands for several.</param>
internal readonly record struct TelemetryItem(
    ItemKind Kind,
    DateTimeOffset Time,
    string Role,
    string Instance,
    string Name,
    string Target,
    double Value,
    bool Success,
    double Count = 1
);
