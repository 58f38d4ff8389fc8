using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Experiments;

/// <summary>An experiment as it is kept in <c>experiment.json</c>.</summary>
internal sealed record ExperimentRecord
{
    public required string Name { get; init; }

    /// <summary>holds, fails or incomplete.</summary>
    public required string Outcome { get; init; }

    /// <summary>Why it is incomplete; otherwise null.</summary>
    public string? Reason { get; init; }

    public required DateTimeOffset StartedAt { get; init; }

    public required string Command { get; init; }

    public required bool IsFull { get; init; }

    public required MachineRecord Machine { get; init; }

    /// <summary>Knobs that the command line set; with any it is not the published experiment.</summary>
    public required IReadOnlyDictionary<string, double> Changed { get; init; }

    public required IReadOnlyList<VariantRecord> Variants { get; init; }

    public required IReadOnlyList<CheckRecord> Checks { get; init; }

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
        return [.. experiment.Checks.Select(Judge)];

        CheckRecord Judge(Check check)
        {
            var measured = check.RelativeTo is { } other ? Known(check.Figure) / Known(other) : Known(check.Figure);
            var unit = check.RelativeTo is null ? experiment.FigureOf(check.Figure).Unit : "";
            return CheckRecord.Of(new Verdict(check, Predicted: null, measured, check.Band), unit) with { RelativeTo = null };
        }

        double? Known(string figure) => figures.TryGetValue(figure, out var value) ? value : null;
    }

    public static string ToJson(IReadOnlyList<ExperimentRecord> records) => JsonSerializer.Serialize(records, Options);

    public static IReadOnlyList<ExperimentRecord> Parse(string json) =>
        JsonSerializer.Deserialize<IReadOnlyList<ExperimentRecord>>(json, Options)!;
}

/// <summary>One variant of <see cref="ExperimentRecord"/>.</summary>
internal sealed record VariantRecord(string Name, Arm Arm, string Title, IReadOnlyDictionary<string, double> Knobs, Exhibits Exhibits);

/// <summary>A variant that was not played.</summary>
internal sealed record LeftOut(string Variant, string Reason);
