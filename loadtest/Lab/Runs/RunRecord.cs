using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Runs;

/// <summary>A run as it is kept in <c>run.json</c>; this is the schema. Times are ISO 8601, durations seconds, rates per second.</summary>
/// <param name="Schema">Version of this form.</param>
/// <param name="Outcome">holds, fails, or incomplete.</param>
/// <param name="Reason">Why it is incomplete; otherwise null.</param>
/// <param name="Command">How to run it again.</param>
/// <param name="K">What durations and stocks were divided by: 1 is full length.</param>
/// <param name="Changed">Knobs that the command line set, in full-length units; a run with any is not the published stage.</param>
/// <param name="Knobs">Every knob as it was applied, that is shortened. What is not here had the service's own default.</param>
/// <param name="Profile">The load as it was run.</param>
/// <param name="Environment">What was emulated.</param>
/// <param name="Load">What the driver saw; null in an incomplete run.</param>
/// <param name="Final">The queue after the load, the observation and the end of every Workflow; null in an incomplete run.</param>
/// <param name="Figures">Figure → what was measured and predicted.</param>
/// <param name="Checks">The verdict.</param>
/// <param name="BinSeconds">Width of a bin of the series.</param>
/// <param name="Series">The bins; also in series.csv.</param>
internal sealed record RunRecord(
    int Schema,
    string Stage,
    string Title,
    string Outcome,
    string? Reason,
    DateTimeOffset StartedAt,
    string Command,
    double K,
    int Seed,
    MachineRecord Machine,
    IReadOnlyDictionary<string, string> Changed,
    IReadOnlyDictionary<string, string> Knobs,
    StepProfile Profile,
    DeclaredEnvironment Environment,
    LoadResult? Load,
    QueueCounters? Final,
    IReadOnlyDictionary<string, FigureRecord> Figures,
    IReadOnlyList<CheckRecord> Checks,
    double BinSeconds,
    IReadOnlyList<Bin> Series)
{
    public const int CurrentSchema = 1;
    public const string Holds = "holds", Fails = "fails", Incomplete = "incomplete";

    /// <summary>A figure that could not be computed (no load, no bins) is <c>"NaN"</c>: JSON has no number for it.</summary>
    private static readonly JsonSerializerOptions Options = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    /// <summary>A run that came to its end.</summary>
    public static RunRecord Of(RunPlan plan, Measured run, string command, MachineRecord machine)
    {
        var figures = FigureTable.Of(run);
        var verdicts = Verdict.Of(plan.Stage, plan.K, figures);
        return Of(plan, run.Load.StartedAt, command, machine) with
        {
            Outcome = verdicts.All(verdict => verdict.Holds) ? Holds : Fails,
            Load = run.Load,
            Final = run.Final,
            Figures = FigureTable.All.ToDictionary(
                figure => figure.Name,
                figure => new FigureRecord(figures[figure.Name], figure.Unit, plan.Stage.Predictions.GetValueOrDefault(figure.Name)?.For(plan.K), figure.Meaning)),
            Checks = [.. verdicts.Select(CheckRecord.Of)],
            Series = run.Series.Bins(run.BinSeconds, run.Profile.UsersAt),
        };
    }

    /// <summary>A run that did not.</summary>
    /// <param name="reason">One sentence.</param>
    public static RunRecord OfIncomplete(RunPlan plan, DateTimeOffset startedAt, string command, MachineRecord machine, string reason) =>
        Of(plan, startedAt, command, machine) with { Reason = reason };

    public static RunRecord Read(string file) => JsonSerializer.Deserialize<RunRecord>(File.ReadAllText(file), Options)!;

    public string ToJson() => JsonSerializer.Serialize(this, Options);

    private static RunRecord Of(RunPlan plan, DateTimeOffset startedAt, string command, MachineRecord machine) => new(
        CurrentSchema, plan.Stage.Id, plan.Stage.Title, Incomplete, null, startedAt, command, plan.K, plan.Seed, machine,
        plan.Overrides.All.ToDictionary(set => set.Knob.Name, set => set.Knob.Show(set.Value)),
        plan.Knobs.All.ToDictionary(set => set.Knob.Name, set => set.Knob.Show(set.Value)),
        plan.Profile, plan.Environment, null, null, new Dictionary<string, FigureRecord>(), [], plan.BinSeconds, []);
}

/// <param name="Predicted">Null: the model says nothing about it.</param>
internal sealed record FigureRecord(double Value, string Unit, double? Predicted, string Meaning);

/// <param name="Band">Where the figure had to be, as people write it.</param>
internal sealed record CheckRecord(string Id, string Claim, string Figure, string Article, double? Predicted, double Measured, string Band, bool Holds, string Why)
{
    public static CheckRecord Of(Verdict verdict) => new(
        verdict.Check.Id, verdict.Check.Claim, verdict.Check.Figure, verdict.Check.Article, verdict.Predicted, verdict.Value,
        $"{verdict.Band}{FigureTable.Find(verdict.Check.Figure).Unit}", verdict.Holds, verdict.Check.Why);
}
