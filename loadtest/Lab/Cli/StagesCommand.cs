using System.CommandLine;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal sealed class StagesCommand : Verb
{
    private readonly Argument<string?> _stage = OptionOf.Optional(
        "stage",
        "Show this stage with its question and knobs."
    );

    private readonly Option<bool> _spoil = OptionOf.Flag(
        "--spoil",
        "Also show the checks, predictions and notes. Predict first."
    );

    public StagesCommand()
        : base("stages", "Lists the stages, or shows one with its question and knobs.")
    {
        Takes(_stage, _spoil);
        HasExamples("stages", "stages 4", "stages 4 --spoil");
    }

    protected override Task<ExitCode> RunAsync()
    {
        var (one, spoil) = (Get(_stage), Get(_spoil));
        if (one is not null)
            Show(Stage.Load(one), spoil, Out.Screen);
        else if (spoil)
            throw new BadInputException("--spoil requires a stage, for example `./lab stages 4 --spoil`.");
        else
            List(Stage.All(), Out.Screen);
        return Task.FromResult(ExitCode.Held);
    }

    private static void List(IReadOnlyList<Stage> stages, IAnsiConsole output) =>
        output.WriteList(Table.Of("", ["stage", "title", "question", "run by `./lab run`"], stages, stage => [
                    stage.Id,
                    stage.Title,
                    stage.Question,
                    stage.IsVariant ? "no"
                    : stage.HalfOf is { } whole ? $"as the first half of {whole}"
                    : "yes",
                ]));

    private static void Show(Stage stage, bool spoil, IAnsiConsole output)
    {
        output.WriteLine($"Stage {stage.Id}: {stage.Title}");
        output.WriteLine(stage.Question);
        output.WriteLine(stage.Change);
        if (stage.BasedOn is { } before)
            output.WriteList(ChangesOf(stage, before));
        output.WriteList(KnobsOf(stage));
        if (!spoil)
        {
            output.WriteLine(
                $"What happens? To predict it: ./lab run {stage.Id} --predict 20/s. For the answer: ./lab stages {stage.Id} --spoil"
            );
            return;
        }
        if (stage.Expectation(RunOptions.Quick) is { } expected)
            output.WriteLine(expected);
        output.WriteList(ChecksOf(stage));
        foreach (var note in stage.Notes)
            output.WriteLine(note);
    }

    private static Table ChangesOf(Stage stage, Stage before) =>
        Table.Of("", ["changed", $"stage {before.Id}", $"stage {stage.Id}"], stage.Changes, change =>
            [change.What, change.Before, change.Now]
        );

    private static Table KnobsOf(Stage stage)
    {
        var quick = StagePlan.Of(stage, RunOptions.Published(RunOptions.Quick));
        return Table.Of(
            "",
            ["knob", "full scale#", $"quick (k = {RunOptions.Quick})#", "meaning"],
            stage.Knobs.All,
            set =>
                [set.Knob.Name, set.Knob.Show(set.Value), set.Knob.Show(quick.Knobs[set.Knob.Name]!), set.Knob.Meaning]
        );
    }

    private static Table ChecksOf(Stage stage) =>
        Table.Of(
            "",
            ["check", "claim", "band#", "article", "predicted, full / quick#", "catches"],
            stage.Checks,
            check => [check.Id, check.Claim, BandOf(check), check.Article, Predicted(stage, check), check.Why]
        );

    private static string BandOf(Check check) =>
        $"{check.Band}{(check.BandFull is { } full ? $" (full length {full})" : "")}"
        + $"{UnitOf(check)}{(check.RelativeTo is { } other ? $" of stage {other}" : "")}";

    private static string Predicted(Stage stage, Check check) =>
        check.RelativeTo is null && stage.Prediction(check.Figure, 1) is { } full
            ? $"{NumberText.Of(full)} / {NumberText.Of(stage.Prediction(check.Figure, RunOptions.Quick))}{UnitOf(check)}"
            : "";

    private static string UnitOf(Check check) => check.RelativeTo is null ? FigureTable.Find(check.Figure).Unit : "";
}
