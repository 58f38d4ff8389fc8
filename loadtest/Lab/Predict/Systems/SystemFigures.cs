using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;
using DroneDelivery.Model.Planning;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>Simulates a valid system file.</summary>
internal static class SystemFigures
{
    private const int Seeds = 3;

    /// <summary>The metrics that apply to any system.</summary>
    private static readonly HashSet<string> Names =
    [
        "accepted",
        "incoming.plateau",
        "completed.plateau",
        "completed.lastThird",
        "backlog.loadEnd",
        "drain",
        "redelivered",
        "lockLost.any",
        "deadLettered.final",
        "node.busiest",
        "telemetry.processMean",
        "telemetry.processP50",
        "telemetry.processP95",
        "telemetry.ageP50",
        "telemetry.ageP95",
        "telemetry.ageP99",
    ];

    public static IEnumerable<Figure> All => FigureTable.All.Where(figure => Names.Contains(figure.Name));

    public static IReadOnlyDictionary<string, SimulatedFigure> For(
        SystemFile system,
        IEnumerable<int> seeds,
        CancellationToken cancellationToken
    ) =>
        SimulatedFigures.Of(
            seeds
                .AsParallel()
                .AsOrdered()
                .WithCancellation(cancellationToken)
                .Select(seed => FiguresOf(system, seed, new(CancellationToken: cancellationToken)))
                .ToList()
        );

    public static PlannedSetting Plan(SystemFile system, CancellationToken cancellationToken)
    {
        var setting = system.SettingOf();
        var plan = Planner.Of(setting);
        return new(setting, plan, plan, For(system, Enumerable.Range(1, Seeds), cancellationToken));
    }

    private static Dictionary<string, double> FiguresOf(SystemFile system, int seed, SimulationLimits limits)
    {
        var setting = system.SettingOf(seed);
        var measured = SimulatedStage.Measure(setting, system.Load!.Profile, Simulator.Run(setting, seed, limits));
        return All.Where(figure => figure.Needs != Sources.Nodes || system.Nodes is not null)
            .ToDictionary(figure => figure.Name, figure => figure.Of(measured));
    }
}
