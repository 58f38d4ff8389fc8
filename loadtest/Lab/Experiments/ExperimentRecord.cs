using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Experiments;

/// <summary>An experiment as it is kept in <c>experiment.json</c>.</summary>
/// <param name="Outcome">holds, fails or incomplete.</param>
/// <param name="Changed">Knobs that the command line set; with any it is not the published experiment.</param>
/// <param name="LeftOut">Variants that this machine cannot play; their checks are not judged.</param>
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
    IReadOnlyList<CheckRecord> Checks,
    IReadOnlyList<LeftOut> LeftOut)
{
    public static JsonSerializerOptions Options { get; } =
        new(RunRecord.Options) { Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase) } };

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

internal sealed record VariantRecord(string Name, Arm Arm, string Title, IReadOnlyDictionary<string, double> Knobs, Exhibits Exhibits);

internal sealed record LeftOut(string Variant, string Reason);

/// <summary>Text in rows; a head that ends in <c>#</c> is of a column of numbers.</summary>
internal sealed record ExperimentTable(string Title, string Says, IReadOnlyList<string> Head, IReadOnlyList<IReadOnlyList<string>> Rows);

/// <summary>Lines over time.</summary>
/// <param name="Query">The file of loadtest/queries that answered with the lines, without <c>.kql</c>; null: none did.</param>
internal sealed record ExperimentChart(
    string Title, string Says, string Unit, IReadOnlyList<ExperimentLine> Lines, string? Query = null);

internal sealed record ExperimentLine(string Name, IReadOnlyList<double> Seconds, IReadOnlyList<double> Values);

/// <summary>What one variant showed.</summary>
/// <param name="Figures">Name → value, as the checks name them.</param>
internal sealed record Exhibits(IReadOnlyDictionary<string, double> Figures)
{
    /// <summary>Of an emulated variant, whose name stands before those of its figures.</summary>
    public static Exhibits Of(Variant variant, string says, IReadOnlyList<Computed> computed, ExperimentChart chart)
    {
        var columns = computed.Where(it => it.Head is not null).ToList();
        var row = columns.Select(it => it.Value.ToString(it.Format, CultureInfo.InvariantCulture));
        return new(computed.Where(it => it.Figure is not null).ToDictionary(it => $"{variant.Name}.{it.Figure}", it => it.Value))
        {
            Tables = [new(variant.Title, says, [.. columns.Select(it => it.Head + "#")], [[.. row]])],
            Charts = [chart],
        };
    }

    public IReadOnlyList<ExperimentTable> Tables { get; init; } = [];

    public IReadOnlyList<HeatMap> HeatMaps { get; init; } = [];

    public IReadOnlyList<ExperimentChart> Charts { get; init; } = [];

    public IReadOnlyList<StackedBars> Bars { get; init; } = [];
}

/// <summary>A number that an emulation came to.</summary>
/// <param name="Head">Of its column; null: it has none.</param>
/// <param name="Figure">As the checks name it; null: they do not.</param>
internal sealed record Computed(string? Head, double Value, string Format, string? Figure = null);
