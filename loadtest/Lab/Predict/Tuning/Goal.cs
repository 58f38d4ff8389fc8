using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>A required performance, as checks of figures.</summary>
/// <param name="Rate">Deliveries per second that come in once all users are active.</param>
internal sealed record Goal(double Rate, IReadOnlyList<GoalCheck> Checks)
{
    /// <summary>Share of the rate that counts as the rate: users jitter, and so does the last second of a measurement.</summary>
    public const double Enough = 0.97;

    private const string Drain = "drain";

    /// <summary>The figures that describe a setting.</summary>
    private static readonly string[] Figures =
    [
        "incoming.plateau",
        "completed.plateau",
        "redelivered",
        "deadLettered.final",
        "http.5xx",
        Drain,
        "telemetry.ageP95",
        "node.busiest",
    ];

    /// <param name="drainSeconds">From the end of an unshortened load to an empty queue at most.</param>
    /// <param name="p95Seconds">From acceptance to completion at most, for 95 % of the messages.</param>
    public static Goal Of(double rate, bool noLoss = false, double? drainSeconds = null, double? p95Seconds = null) =>
        new(
            rate,
            [
                new("incoming.plateau", new(Min: Enough * rate)),
                new("completed.plateau", new(Min: Enough * rate)),
                .. drainSeconds is { } drain ? [new(Drain, new(Max: drain))] : Array.Empty<GoalCheck>(),
                .. p95Seconds is { } latest ? [new("telemetry.ageP95", new(Max: latest))] : Array.Empty<GoalCheck>(),
                .. noLoss
                    ? [new("redelivered", None), new("deadLettered.final", None), new("http.5xx", None)]
                    : Array.Empty<GoalCheck>(),
            ]
        );

    /// <summary>Seconds that the queue may take after the load; null: as long as it likes.</summary>
    public double? DrainSeconds => Checks.FirstOrDefault(check => check.Figure == Drain)?.Band.Max;

    private static Band None => new(Max: 0);

    /// <returns>Figure → value. The drain is multiplied by <paramref name="k"/>; an unknown figure is not a number.</returns>
    /// <param name="of">Figure → value of a run or a simulation.</param>
    /// <param name="k">The factor by which that was shortened.</param>
    public static IReadOnlyDictionary<string, double> FiguresOf(Func<string, double> of, double k) =>
        Figures.ToDictionary(figure => figure, figure => (figure == Drain ? k : 1) * of(figure));

    /// <summary>The checks that fail, a phrase each; none: the goal is met. An unknown figure fails its check.</summary>
    public IReadOnlyList<string> MissesOf(IReadOnlyDictionary<string, double> figures) =>
        [
            .. Checks
                .Where(check => !check.Band.Contains(figures[check.Figure]))
                .Select(check => $"{ValueOf(check.Figure, figures)}, expected {check}"),
        ];

    /// <summary><c>completed.plateau 79.9/s</c></summary>
    public static string ValueOf(string figure, IReadOnlyDictionary<string, double> figures) =>
        $"{figure} {Cell.Of(figures[figure], FigureTable.Find(figure).Unit).Text}";

    public override string ToString() =>
        $"{NumberText.Of(Rate)}/s: {string.Join(", ", Checks.Select(check => $"{check.Figure} {check}"))}";
}

/// <summary>A figure, and where it has to be.</summary>
internal sealed record GoalCheck(string Figure, Band Band)
{
    public override string ToString() => $"{Band}{FigureTable.Find(Figure).Unit}";
}
