using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;
using DroneDelivery.Model.Planning;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>What the model says of somebody's own system.</summary>
internal static class SystemFigures
{
    private const int Seeds = 3;

    /// <summary>Those that any system has.</summary>
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

    /// <param name="system">Valid.</param>
    /// <param name="seeds">One simulation each, on as many cores as there are. Which core plays one changes nothing.</param>
    /// <returns>The figures of each queue.</returns>
    public static IReadOnlyList<IReadOnlyDictionary<string, SimulatedFigure>> For(
        SystemFile system,
        IEnumerable<int> seeds,
        CancellationToken cancellationToken
    )
    {
        var runs = seeds
            .AsParallel()
            .AsOrdered()
            .WithCancellation(cancellationToken)
            .Select(seed => Play(system.SettingOf(seed), seed, new(Left: cancellationToken)))
            .ToList();
        return
        [
            .. system.Queues.Select(
                (_, queue) => SimulatedFigures.Of(runs.Select(run => FiguresOf(system, run[queue])))
            ),
        ];
    }

    public static IReadOnlyList<Measured> Play(Setting setting, int seed, SimulationLimits limits) =>
        SimulatedStage.Measure(setting, Simulator.Run(setting, seed, limits));

    /// <returns>A plan of each queue, with its heading.</returns>
    public static IReadOnlyList<(string Heading, PlannedSetting Plan)> Plan(
        SystemFile system,
        CancellationToken cancellationToken
    )
    {
        var setting = system.SettingOf();
        var figures = For(system, Enumerable.Range(1, Seeds), cancellationToken);
        return
        [
            .. Planner
                .OfEach(setting)
                .Select((plan, queue) => new PlannedSetting(setting.Consumers[queue], plan, plan, figures[queue]))
                .Zip(system.Headings, (plan, heading) => (heading, plan)),
        ];
    }

    private static Dictionary<string, double> FiguresOf(SystemFile system, Measured measured) =>
        All.Where(figure => figure.Needs != Sources.Nodes || system.Nodes is not null)
            .ToDictionary(figure => figure.Name, figure => figure.Of(measured));
}
