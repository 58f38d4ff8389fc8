using DroneDelivery.Lab.Predict;
using DroneDelivery.Model.Fit;

namespace DroneDelivery.Lab.Measure;

/// <summary>Somebody's own system with the times that its telemetry shows.</summary>
/// <param name="Json">The system's file, with these times.</param>
/// <param name="Latencies">Field → what it was fitted to.</param>
/// <param name="Costs">Service → CPU of a request or message.</param>
/// <param name="Kept">Fields that telemetry says too little of: they are as they were.</param>
internal sealed record CalibratedSystem(
    string Json,
    IReadOnlyDictionary<string, LogNormalFit> Latencies,
    IReadOnlyDictionary<string, CpuCost> Costs,
    IReadOnlyList<string> Kept
)
{
    private const string Settlement = "Complete";

    /// <param name="items">Telemetry of a time in which the nodes had CPU to spare.</param>
    public static CalibratedSystem Of(IReadOnlyList<TelemetryItem> items, string file)
    {
        var (system, text) = SystemText.Open(file);
        var latencies = FieldsOf(items, system)
            .Where(field => field.Times.Count >= LogNormalFit.Fewest)
            .ToDictionary(field => field.Name, field => LogNormalFit.Of(field.Times));
        if (latencies.Count == 0)
        {
            throw new BadInputException(
                $"No dependency has {LogNormalFit.Fewest} calls that succeeded: expected targets "
                    + $"{string.Join(", ", Called(system))}, and settlements whose name ends with {Settlement}."
            );
        }

        var bins = new CpuBins(items);
        var costs = system
            .Services.Keys.Select(name => (Name: name, Cost: bins.CostOf(name)))
            .Where(it => it.Cost is not null)
            .ToDictionary(it => it.Name, it => it.Cost!);
        foreach (var (field, fit) in latencies)
            text.Put(field, SystemText.Of(fit.Distribution));
        foreach (var (name, cost) in costs)
            text.Put($"{name}.cpuMilliseconds", Math.Round(cost.Milliseconds, 3));
        return new(
            text.ToJson(),
            latencies,
            costs,
            [.. FieldsOf(items, system).Select(it => it.Name).Except(latencies.Keys)]
        );
    }

    private static IEnumerable<string> Called(SystemFile system) =>
        system.Receivers.SelectMany(service => service.Value.Calls).SelectMany(step => step.Services).Distinct();

    private static IEnumerable<(string Name, List<double> Times)> FieldsOf(
        IReadOnlyList<TelemetryItem> items,
        SystemFile system
    )
    {
        var calls = items
            .Where(it => it is { Kind: ItemKind.Dependency, Success: true, Value: > 0 })
            .ToLookup(it => it.Name.EndsWith(Settlement, StringComparison.OrdinalIgnoreCase));
        foreach (var (name, _) in system.Receivers)
        {
            var own = calls[true].Where(it => system.Queues.Count == 1 || Roles.Is(it.Role, name));
            yield return ($"{name}.settlement", [.. own.Select(it => it.Value)]);
        }

        foreach (var name in Called(system))
        {
            yield return (
                $"{name}.latency",
                [.. calls[false].Where(it => Roles.Is(it.Target, name)).Select(it => it.Value)]
            );
        }
    }
}
