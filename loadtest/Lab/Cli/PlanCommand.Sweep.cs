using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>A sweep: played, printed, drawn.</summary>
internal sealed partial class PlanCommand
{
    private ExitCode Play(string typed, List<StagePlan> stages, PlanInputs inputs, PlanQuestions questions)
    {
        if (stages is not [var stage])
            throw new BadInputException("A sweep is of one stage: ./lab plan 4 --sweep KNOB=A..B.");
        if (Get(_out) is { } file && Path.GetExtension(file) is not (".html" or ".svg"))
            throw new BadInputException($"--out {file}: expected a name that ends in .html or .svg.");
        var ranges = SweepRange.ReadAll(typed);
        if (inputs.Rate is not null && ranges.Any(range => range.Knob.Name == PlanInputs.UsersKnob))
            throw new BadInputException(PlanInputs.RateAndUsers);
        var sweep = Sweep.Of(
            knobs => inputs.ApplyTo(StagePlan.Of(stage.Stage, stage.Options with { Overrides = stage.Options.Overrides.With(knobs) })),
            ranges, questions, Progress.Lines(Context.Error), Left);
        Out.Write(Get(_json) ? Json(sweep) : null, screen => SweepTable.Write(screen, sweep));
        Keep(sweep);
        return ExitCode.Held;
    }

    /// <summary>Where it is only opened, in a folder of its own.</summary>
    private void Keep(Sweep sweep)
    {
        if (Get(_out) is null && !Get(_open))
            return;
        var file = Path.GetFullPath(
            Get(_out) ?? Path.Combine(Repository.Artifacts, "plans", $"{Clock.GetLocalNow():yyyy-MM-ddTHH-mm-ss}-sweep.html"));
        Disk.Write(file, (Path.GetExtension(file) == ".svg" ? SweepDrawing.Svg(sweep) : SweepDrawing.Page(sweep)).Markup);
        Error.WriteLine(file);
        if (Get(_open))
            Browser.TryOpen(file, Error);
    }

    private static string Json(Sweep sweep) => PrintedJson.Of(
        new
        {
            stage = sweep.Stage.Stage.Id,
            k = sweep.Stage.K,
            knobs = sweep.Ranges.Select(range => range.Knob.Name),
            cliffs = sweep.Says,
            points = sweep.Points.Select(point => new
            {
                values = point.Values,
                refused = point.Refused,
                rate = point.Rate,
                formula = point.ByFormula,
                locksLost = point.LocksLost,
                backlog = point.Backlog,
                busiestNode = point.BusiestNode,
                cost = Math.Round(point.CostPerMonth),
                binds = point.Binds,
            }),
        });
}
