using System.CommandLine;
using System.Text.Json;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab stages</c>: what can be played, and what a stage sets and checks.</summary>
internal static class StagesCommand
{
    public static Command Create()
    {
        var id = new Argument<string?>("stage")
        {
            Arity = ArgumentArity.ZeroOrOne,
            Description = "Show this one with its knobs and checks.",
        };
        var json = Options.Json("Print it as JSON.");
        var command = new Command("stages", "Lists the stages, or shows one with its knobs and checks.") { id, json }
            .WithExamples("stages", "stages 4", "stages --json");
        command.SetAction(parsed =>
        {
            IReadOnlyList<Stage> stages = parsed.GetValue(id) is { } one ? [Stage.Load(one)] : Stage.All();
            if (parsed.GetValue(json))
                Console.WriteLine(JsonSerializer.Serialize(stages.Select(Summary), JsonSerializerOptions.Web));
            else if (parsed.GetValue(id) is null)
                List(stages);
            else
                Show(stages[0]);
        });
        return command;
    }

    private static object Summary(Stage stage) => new
    {
        stage.Id,
        stage.Title,
        stage.Question,
        stage.Change,
        stage.HalfOf,
        stage.IsVariant,
        Knobs = stage.Knobs.All.ToDictionary(set => set.Knob.Name, set => set.Knob.Show(set.Value)),
        Checks = stage.Checks.Select(check => new
        {
            check.Id,
            check.Claim,
            check.Figure,
            Band = BandOf(check),
            check.RelativeTo,
            check.Article,
        }),
    };

    private static void List(IReadOnlyList<Stage> stages)
    {
        var table = new Table().Border(TableBorder.Simple).AddColumns("stage", "title", "question", "played by `./lab run`");
        foreach (var stage in stages)
        {
            var played = stage.IsVariant ? "no" : stage.HalfOf is { } whole ? $"as the first half of {whole}" : "yes";
            table.AddRow(stage.Id, Markup.Escape(stage.Title), Markup.Escape(stage.Question), played);
        }

        Terminal.Output.Write(table);
    }

    private static void Show(Stage stage)
    {
        Terminal.Output.WriteLine($"Stage {stage.Id}: {stage.Title}");
        Terminal.Output.WriteLine(stage.Question);
        Terminal.Output.WriteLine(stage.Change);
        var quick = StagePlan.Of(stage, new(RunOptions.Quick, Knobs.KnobSet.Empty, null, "", new(0), 1, false));
        var knobs = new Table().Border(TableBorder.Simple).AddColumns("knob", "full length", $"quick (k = {RunOptions.Quick})", "meaning");
        foreach (var (knob, value) in stage.Knobs.All)
            knobs.AddRow(knob.Name, knob.Show(value), knob.Show(quick.Knobs[knob.Name]!), Markup.Escape(knob.Meaning));
        Terminal.Output.Write(knobs);
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

        Terminal.Output.Write(checks);
        foreach (var note in stage.Notes)
            Terminal.Output.WriteLine(note);
    }

    private static string BandOf(Check check) =>
        $"{check.Band}{(check.BandFull is { } full ? $" (full length {full})" : "")}"
        + $"{UnitOf(check)}{(check.RelativeTo is { } other ? $" of stage {other}" : "")}";

    private static string Predicted(Stage stage, Check check) =>
        check.RelativeTo is null && stage.Predictions.GetValueOrDefault(check.Figure) is { } it
            ? $"{NumberText.Of(it.Full)} / {NumberText.Of(it.Quick)}{UnitOf(check)}"
            : "";

    private static string UnitOf(Check check) => check.RelativeTo is null ? FigureTable.Find(check.Figure).Unit : "";
}
