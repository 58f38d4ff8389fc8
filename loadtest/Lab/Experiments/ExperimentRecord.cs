using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Lab.Experiments;

/// <summary>An experiment as it is kept in <c>experiment.json</c>.</summary>
/// <param name="Outcome">holds, fails or incomplete.</param>
/// <param name="Reason">Why it is incomplete; otherwise null.</param>
/// <param name="Changed">Knobs that the command line set; with any it is not the published experiment.</param>
internal sealed record ExperimentRecord(
    string Name,
    string Outcome,
    string? Reason,
    DateTimeOffset StartedAt,
    string Command,
    bool IsFull,
    MachineRecord Machine,
    IReadOnlyDictionary<string, double> Changed,
    IReadOnlyList<VariantRecord> Variants,
    IReadOnlyList<CheckRecord> Checks)
{
    /// <summary>Variants that this machine cannot play; their checks are not judged.</summary>
    public IReadOnlyList<LeftOut> LeftOut { get; init; } = [];

    /// <summary>How whatever is of an experiment is written.</summary>
    public static JsonSerializerOptions Options { get; } = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase) },
    };

    /// <summary>What can be judged by what was played.</summary>
    public static IReadOnlyList<CheckRecord> Judge(Experiment experiment, IReadOnlyList<VariantRecord> variants)
    {
        var figures = variants.SelectMany(variant => variant.Exhibits.Figures).ToDictionary(figure => figure.Key, figure => figure.Value);
        return [.. experiment.Checks.Select(check => Judge(check, check.UnitIn(experiment), figures))];
    }

    public static string ToJson(IReadOnlyList<ExperimentRecord> records) => JsonSerializer.Serialize(records, Options);

    public static IReadOnlyList<ExperimentRecord> Parse(string json) =>
        JsonSerializer.Deserialize<IReadOnlyList<ExperimentRecord>>(json, Options)!;

    private static CheckRecord Judge(ExperimentCheck check, string unit, Dictionary<string, double> figures)
    {
        double? Known(string figure) => figures.TryGetValue(figure, out var value) ? value : null;
        var measured = check.RelativeTo is { } other ? Known(check.Figure) / Known(other) : Known(check.Figure);
        bool? holds = measured is { } value ? check.Band.Contains(value) : null;
        return new(
            check.Id, check.Claim, check.Figure, null, check.Article, null, measured, unit, $"{check.Band}{unit}", holds, check.Why);
    }
}

/// <summary>One variant of <see cref="ExperimentRecord"/>.</summary>
/// <param name="Knobs">Each as it was applied.</param>
internal sealed record VariantRecord(string Name, Arm Arm, string Title, IReadOnlyDictionary<string, double> Knobs, Exhibits Exhibits);

/// <summary>A variant that was not played.</summary>
/// <param name="Reason">What is missing, and how to get it.</param>
internal sealed record LeftOut(string Variant, string Reason);
