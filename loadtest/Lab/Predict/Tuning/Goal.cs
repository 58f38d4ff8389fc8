using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>A required performance, as checks of metrics.</summary>
internal sealed record Goal(double Rate, IReadOnlyList<GoalCheck> Checks)
{
    /// <summary>The share of the rate that meets it, because load and measurement jitter.</summary>
    public const double Enough = 0.97;

    private const string Drain = "drain";

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

    public double? DrainSeconds => Checks.FirstOrDefault(check => check.Figure == Drain)?.Band.Max;

    private static Band None => new(Max: 0);

    /// <returns>The values by metric, at full scale; NaN if unknown.</returns>
    /// <param name="k">The time scale divisor of the run.</param>
    public static IReadOnlyDictionary<string, double> FiguresOf(Func<string, double> of, double k) =>
        Figures.ToDictionary(figure => figure, figure => (figure == Drain ? k : 1) * of(figure));

    /// <summary>Returns a phrase for each failed check. Unknown values fail.</summary>
    public IReadOnlyList<string> MissesOf(IReadOnlyDictionary<string, double> figures) =>
        [
            .. Checks
                .Where(check => !check.Band.Contains(figures[check.Figure]))
                .Select(check => $"{ValueOf(check.Figure, figures)}, expected {check}"),
        ];

    /// <summary>Returns text such as <c>completed.plateau 79.9/s</c>.</summary>
    public static string ValueOf(string figure, IReadOnlyDictionary<string, double> figures) =>
        $"{figure} {Cell.Of(figures[figure], FigureTable.Find(figure).Unit).Text}";

    public override string ToString() =>
        $"{NumberText.Of(Rate)}/s: {string.Join(", ", Checks.Select(check => $"{check.Figure} {check}"))}";
}

internal sealed record GoalCheck(string Figure, Band Band)
{
    public override string ToString() => $"{Band}{FigureTable.Find(Figure).Unit}";
}
