using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Nodes;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Lab.Workshop;

/// <summary>What somebody hands in for an exercise.</summary>
/// <param name="Run">The run.</param>
/// <param name="Played">The stage of it that the exercise is about; it was measured.</param>
/// <param name="Answer">What they say about it; empty where nothing is asked.</param>
internal sealed record Attempt(RunRecord Run, StageRecord Played, string Answer)
{
    private readonly KnobSet _knobs = KnobSet.Parse(Played.Knobs.Select(knob => $"{knob.Key}={knob.Value}"));

    /// <exception cref="BadInputException">The run cannot say anything about it, or there is no answer, or one too many.</exception>
    public static Attempt Of(RunExercise exercise, RunRecord run, string? answer)
    {
        exercise.RequireAnswer(answer);
        var played = run.Stages.FirstOrDefault(stage => stage.Stage == exercise.Stage)
            ?? throw new BadInputException(
                $"The run of {run.StartedAt.ToLocalTime():HH:mm:ss} has no stage {exercise.Stage}. "
                    + $"Begin with ./lab {exercise.BeginWith}, or name another run.");
        if (played.Outcome is Outcomes.Void or Outcomes.Incomplete)
        {
            throw new BadInputException(
                $"Stage {exercise.Stage} of the run of {run.StartedAt.ToLocalTime():HH:mm:ss} is {played.Outcome} "
                    + $"and proves nothing: {played.Reason}");
        }
        return new(run, played, answer ?? "");
    }

    public double Figure(string name) => Played.Figures[FigureTable.Find(name).Name].Value;

    /// <summary>A knob as it was applied, that is shortened.</summary>
    public double Knob(string name) => _knobs.Number(name, double.NaN);

    /// <summary>
    /// The most messages that a Workflow can hold without one whose lock ends before its handler begins: L·μr + C/2, with the lock L, the
    /// messages per second μr that the nodes allow one replica, and C calls. The credit that is out counts, so C messages of the prefetch
    /// are with handlers; the last of the others waits (P − C/2)/μr on average.
    /// </summary>
    public double PrefetchLimit =>
        Knob("queue.lockDuration") * Capacity / Knob("workflow.replicas") + Knob("workflow.maxConcurrentCalls") / 2;

    /// <summary>Deliveries per second that the busiest of the declared nodes allows.</summary>
    private double Capacity
    {
        get
        {
            var nodes = Played.Environment.Nodes!.With(_knobs);
            return Calibration.CapacityOf(nodes, Placement.Of(nodes, _knobs, before: null, Run.Seed));
        }
    }
}
