using System.Text.Json;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>A sweep of <c>lab plan</c>: played, printed, drawn.</summary>
internal static class SweepSession
{
    public static ExitCode Play(
        string typed,
        IReadOnlyList<StagePlan> stages,
        PlanArguments arguments,
        LabContext context,
        CancellationToken cancellationToken)
    {
        var inputs = arguments.Inputs;
        if (stages is not [var stage])
            throw new BadInputException("A sweep is of one stage: ./lab plan 4 --sweep KNOB=A..B.");
        if (arguments.Out is { } file && Path.GetExtension(file) is not (".html" or ".svg"))
            throw new BadInputException($"--out {file}: expected a name that ends in .html or .svg.");
        var ranges = SweepRange.ReadAll(typed);
        if (inputs.Rate is not null && ranges.Any(range => range.Knob.Name == PlanInputs.UsersKnob))
            throw new BadInputException(PlanInputs.RateAndUsers);
        var sweep = Sweep.Of(
            knobs => inputs.ApplyTo(StagePlan.Of(stage.Stage, stage.Options with { Overrides = stage.Options.Overrides.With(knobs) })),
            ranges,
            arguments.Questions,
            Progress.Lines(context.Error),
            cancellationToken);
        context.Out.Write(arguments.Run.Json ? Json(sweep) : null, screen => SweepTable.Write(screen, sweep));
        Keep(sweep, arguments, context);
        return ExitCode.Held;
    }

    private static void Keep(Sweep sweep, PlanArguments arguments, LabContext context)
    {
        if (arguments.Out is null && !arguments.Open)
            return;
        var file = Path.GetFullPath(arguments.Out
            ?? Path.Combine(Repository.Artifacts, "plans", $"{context.Time.GetLocalNow():yyyy-MM-ddTHH-mm-ss}-sweep.html"));
        Disk.Write(file, (Path.GetExtension(file) == ".svg" ? SweepDrawing.Svg(sweep) : SweepDrawing.Page(sweep)).Markup);
        context.Error.Text.WriteLine(file);
        if (arguments.Open)
            Browser.TryOpen(file, context.Error.Text);
    }

    private static string Json(Sweep sweep) => JsonSerializer.Serialize(
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
        },
        TuneJson.Options);
}
