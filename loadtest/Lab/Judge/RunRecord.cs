using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Telemetry.Ingest;

namespace DroneDelivery.Lab.Judge;

/// <summary>
/// The results of a run, and the schema of <c>run.json</c>. Times are ISO 8601, durations seconds, rates per second, unknown numbers
/// <c>"NaN"</c>.
/// </summary>
/// <param name="Outcome">The worst of its stages, one of <see cref="Outcomes"/>.</param>
/// <param name="K">The divisor of durations and sizes; 1 is full scale.</param>
/// <param name="Telemetry"><c>null</c> if the run ended before it received any.</param>
/// <param name="Changed">Full-scale settings and options that differ from the published run.</param>
internal sealed record RunRecord(
    int Schema,
    string Outcome,
    string? Reason,
    DateTimeOffset StartedAt,
    string Command,
    double K,
    int Seed,
    MachineRecord Machine,
    Calibration? Calibration,
    TelemetryCounts? Telemetry,
    IReadOnlyDictionary<string, string> Changed,
    IReadOnlyList<StageRecord> Stages,
    Guess? Guess = null
)
{
    public const int CurrentSchema = 2;

    [JsonIgnore]
    public bool IsFull => K == 1;

    public static JsonSerializerOptions Options { get; } =
        new(JsonSerializerDefaults.Web)
        {
            WriteIndented = true,
            NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
            Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        };

    public static RunRecord Of(
        RunPlan plan,
        IReadOnlyList<StageOutcome> outcomes,
        DateTimeOffset startedAt,
        string command,
        MachineRecord machine,
        Calibration? calibration,
        TelemetryCounts? telemetry,
        string? reason
    )
    {
        var stages = StagesOf(plan, outcomes, calibration?.WhyVoid, reason);
        var outcome = reason is null ? Outcomes.Worst(stages.Select(stage => stage.Outcome)) : Outcomes.Incomplete;
        return new(
            CurrentSchema,
            outcome,
            reason,
            startedAt,
            command,
            plan.Options.K,
            plan.Options.Seed,
            machine,
            calibration,
            telemetry,
            ChangesOf(plan.Options),
            stages
        );
    }

    public static StageRecord[] StagesOf(
        RunPlan plan,
        IReadOnlyList<StageOutcome> outcomes,
        string? whyVoid,
        string? reason
    )
    {
        List<StageOutcome> all =
        [
            .. outcomes
                .Concat(HalvesOf(plan, outcomes))
                .OrderBy(outcome => outcome.Plan.Stage.Id, StringComparer.Ordinal),
        ];
        var figures = all.Where(outcome => outcome.Measured is not null)
            .ToDictionary(outcome => outcome.Plan.Stage.Id, outcome => FigureTable.Of(outcome.Measured!));
        return [.. all.Select(outcome => StageRecord.Of(outcome, figures, whyVoid, reason))];
    }

    /// <exception cref="LabException">The file is damaged, or from a newer lab.</exception>
    public static RunRecord Read(string file)
    {
        try
        {
            var json = File.ReadAllText(file);
            if (JsonSerializer.Deserialize<Form>(json, Options) is { Schema: > CurrentSchema } newer)
            {
                throw new LabException(
                    $"{file} has schema {newer.Schema}, and this lab reads only schemas up to {CurrentSchema}. "
                        + "Read it with a newer lab, or repeat the run."
                );
            }
            return JsonSerializer.Deserialize<RunRecord>(json, Options) is { Stages: not null } run
                ? run
                : throw Damaged(file, "it has no stages.");
        }
        catch (JsonException exception)
        {
            throw Damaged(file, exception.Message);
        }
    }

    public string ToJson() => JsonSerializer.Serialize(this, Options);

    public static string ToJson(IReadOnlyList<RunRecord> runs) => JsonSerializer.Serialize(runs, Options);

    private static LabException Damaged(string file, string why) =>
        new($"{file} is damaged and cannot be read: {why.Split('\n')[0]} Specify another run, or repeat this one.");

    private static IEnumerable<StageOutcome> HalvesOf(RunPlan plan, IReadOnlyList<StageOutcome> outcomes) =>
        from half in plan.Halves
        let whole = outcomes.FirstOrDefault(outcome => outcome.Plan.Stage.Id == half.Stage.HalfOf)
        let measured = whole?.Measured
        where measured is not null
        select whole with
        {
            Plan = half,
            Measured = measured.FirstHalf(),
            IsHalf = true,
        };

    private static Dictionary<string, string> ChangesOf(RunOptions options)
    {
        var changes = options.Overrides.All.ToDictionary(set => set.Knob.Name, set => set.Knob.Show(set.Value));
        if (options.Environment is { } environment)
            changes["--environment"] = environment;
        if (options.Open)
            changes["--open"] = "true";
        if (options.Faults.Count > 0)
            changes["--fault"] = string.Join("; ", options.Faults.Select(fault => fault.Text));
        if (options.Targets.Count > 0)
            changes["--target"] = string.Join(' ', options.Targets);
        return changes;
    }

    /// <summary>The properties that every version of the record has.</summary>
    private sealed record Form(int Schema);
}

/// <param name="Predicted"><c>null</c> if there is none, or only a range.</param>
/// <param name="Expected">The predicted range; <c>null</c> if there is none.</param>
internal sealed record FigureRecord(
    double Value,
    string Unit,
    double? Predicted,
    string Meaning,
    string? Expected = null,
    Agreement? Agreement = null
)
{
    public static FigureRecord Of(Figure figure, double value, Expected? expected) =>
        expected is null
            ? new(value, figure.Unit, null, figure.Meaning)
            : new(
                value,
                figure.Unit,
                expected.Value,
                figure.Meaning,
                expected.BandOf(figure, value).ToString(NumberText.Of) + figure.Unit,
                expected.Compare(figure, value)
            );
}
