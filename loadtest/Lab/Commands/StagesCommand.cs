using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Forecasts;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <param name="Stage">Null: all are listed.</param>
/// <param name="Spoil">Whether what happens is told, too.</param>
internal sealed record StagesArguments(string? Stage = null, bool Json = false, bool Spoil = false);

/// <summary><c>lab stages</c>: what can be played, and what a stage sets and checks.</summary>
internal sealed class StagesCommand : Verb<StagesArguments>
{
    private readonly Argument<string?> _stage = new("stage")
    {
        Arity = ArgumentArity.ZeroOrOne,
        Description = "Show this one with its question and its knobs.",
    };

    private readonly Option<bool> _spoil = new("--spoil")
    {
        Description = "Also show what happens: checks, predictions, notes. Predict first.",
    };

    private readonly Option<bool> _json = SharedOptions.Json("Print it as JSON, with --spoil checks and what happens, too.");

    public StagesCommand()
        : base("stages", "Lists the stages, or shows one with its question and its knobs.")
    {
        Takes(_stage, _spoil, _json);
        HasExamples("stages", "stages 4", "stages 4 --spoil", "stages --json", "stages --json --spoil");
    }

    protected override StagesArguments Read(ParseResult parsed) =>
        new(parsed.GetValue(_stage), parsed.GetValue(_json), parsed.GetValue(_spoil));

    public override Task<ExitCode> RunAsync(StagesArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        if (arguments is { Spoil: true, Stage: null, Json: false })
            throw new BadInputException("--spoil needs a stage, for example `./lab stages 4 --spoil`.");
        IReadOnlyList<Stage> stages = arguments.Stage is { } one ? [Stage.Load(one)] : Stage.All();
        if (arguments.Json)
            context.Out.Text.WriteLine(JsonOf(stages, arguments.Spoil));
        else if (arguments.Stage is null)
            List(stages, context.Out.Screen);
        else
            Show(stages[0], arguments.Spoil, context.Out.Screen);
        return Task.FromResult(ExitCode.Held);
    }

    private static string JsonOf(IEnumerable<Stage> stages, bool spoil) =>
        JsonSerializer.Serialize(stages.Select(stage => Summary(stage, spoil)), JsonSerializerOptions.Web);

    /// <summary>Who does not ask what happens is not told: null.</summary>
    private static object Summary(Stage stage, bool spoil) => new
    {
        stage.Id,
        stage.Title,
        stage.Question,
        stage.Change,
        stage.HalfOf,
        stage.IsVariant,
        Knobs = stage.Knobs.All.ToDictionary(set => set.Knob.Name, set => set.Knob.Show(set.Value)),
        Checks = spoil ? stage.Checks.Select(CheckOf) : null,
        Happens = spoil ? Expectation.Of(stage, RunOptions.Quick) : null,
        Notes = spoil ? stage.Notes : null,
    };

    private static object CheckOf(Check check) =>
        new { check.Id, check.Claim, check.Figure, Band = BandOf(check), check.RelativeTo, check.Article };

    private static void List(IReadOnlyList<Stage> stages, IAnsiConsole output)
    {
        var table = new Table().Border(TableBorder.Simple).AddColumns("stage", "title", "question", "played by `./lab run`");
        foreach (var stage in stages)
        {
            var played = stage.IsVariant ? "no" : stage.HalfOf is { } whole ? $"as the first half of {whole}" : "yes";
            table.AddRow(stage.Id, Markup.Escape(stage.Title), Markup.Escape(stage.Question), played);
        }

        output.Write(table);
    }

    private static void Show(Stage stage, bool spoil, IAnsiConsole output)
    {
        output.WriteLine($"Stage {stage.Id}: {stage.Title}");
        output.WriteLine(stage.Question);
        output.WriteLine(stage.Change);
        if (stage.BasedOn is { } before)
            output.Write(ChangesOf(stage, before));
        output.Write(KnobsOf(stage));
        if (!spoil)
        {
            output.WriteLine(
                $"What happens? Predict it: ./lab run {stage.Id} --predict 12/s. `./lab stages {stage.Id} --spoil` shows it.");
            return;
        }
        if (Expectation.Of(stage, RunOptions.Quick) is { } expected)
            output.WriteLine(expected);
        output.Write(ChecksOf(stage));
        foreach (var note in stage.Notes)
            output.WriteLine(note);
    }

    private static Table ChangesOf(Stage stage, Stage before)
    {
        var changes = new Table().Border(TableBorder.Simple).AddColumns("changed", $"stage {before.Id}", $"stage {stage.Id}");
        foreach (var (what, old, now) in stage.Changes)
            changes.AddRow(what, old, now);
        return changes;
    }

    private static Table KnobsOf(Stage stage)
    {
        var quick = StagePlan.Of(stage, new(RunOptions.Quick, Knobs.KnobSet.Empty, null, "", new(0), 1, false));
        var knobs = new Table().Border(TableBorder.Simple).AddColumns("knob", "full length", $"quick (k = {RunOptions.Quick})", "meaning");
        foreach (var (knob, value) in stage.Knobs.All)
            knobs.AddRow(knob.Name, knob.Show(value), knob.Show(quick.Knobs[knob.Name]!), Markup.Escape(knob.Meaning));
        return knobs;
    }

    private static Table ChecksOf(Stage stage)
    {
        var checks = new Table().Border(TableBorder.Simple)
            .AddColumns("check", "claim", "band", "article", "predicted, full / quick", "catches");
        foreach (var check in stage.Checks)
        {
            checks.AddRow(
                check.Id,
                Markup.Escape(check.Claim),
                BandOf(check),
                Markup.Escape(check.Article),
                Predicted(stage, check),
                Markup.Escape(check.Why));
        }

        return checks;
    }

    private static string BandOf(Check check) =>
        $"{check.Band}{(check.BandFull is { } full ? $" (full length {full})" : "")}"
        + $"{UnitOf(check)}{(check.RelativeTo is { } other ? $" of stage {other}" : "")}";

    private static string Predicted(Stage stage, Check check) =>
        check.RelativeTo is null && stage.Prediction(check.Figure, 1) is { } full
            ? $"{NumberText.Of(full)} / {NumberText.Of(stage.Prediction(check.Figure, RunOptions.Quick))}{UnitOf(check)}"
            : "";

    private static string UnitOf(Check check) => check.RelativeTo is null ? FigureTable.Find(check.Figure).Unit : "";
}
