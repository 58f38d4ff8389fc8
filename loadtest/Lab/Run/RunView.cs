using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Run;

/// <summary>The progress of a stage: a line that is updated on a terminal, or a line every few seconds.</summary>
/// <param name="laterSeconds">The duration of the stages after this one.</param>
internal sealed class RunView(StagePlan plan, double laterSeconds, Outlet error)
{
    private const double SecondsBetweenLines = 5;
    private static readonly TimeSpan RateWindow = TimeSpan.FromSeconds(2.5);
    private double _nextLine;

    public Sources Told { get; init; } = Sources.Everything;

    public void Show(double seconds, IReadOnlyList<Reading> readings)
    {
        if (readings.Count == 0 || (!error.IsTerminal && seconds < _nextLine))
            return;
        _nextLine += SecondsBetweenLines;
        var line = Line(seconds, readings);
        error.Text.Write(error.IsTerminal ? $"\r{line}\x1b[K" : line + Environment.NewLine);
        error.Text.Flush();
    }

    public void End()
    {
        if (error.IsTerminal)
            error.Text.WriteLine();
    }

    private string Line(double seconds, IReadOnlyList<Reading> readings)
    {
        var last = readings[^1];
        var earlier = readings.Last(reading => reading.Time <= last.Time - RateWindow || reading == readings[0]);
        string Rate(Sources needs, Func<QueueCounters, long> counter)
        {
            if (!Told.HasFlag(needs))
                return "    –";
            var rate =
                last.Time > earlier.Time
                    ? (counter(last.Queue) - counter(earlier.Queue)) / (last.Time - earlier.Time).TotalSeconds
                    : 0;
            return $"{rate, 5:0.0}/s";
        }

        var left = Math.Max(0, plan.TotalSeconds - seconds) + laterSeconds;
        var (incoming, outgoing) = (
            Rate(Sources.Rates, queue => queue.Incoming),
            Rate(Sources.Deliveries, queue => queue.Outgoing)
        );
        var completed = Rate(Sources.Rates, queue => queue.Completed);
        var lockLost = Count(Sources.Deliveries, last.Queue.LockLost - readings[0].Queue.LockLost);
        var errors = Count(Sources.ErrorsOverTime, last.Errors - readings[0].Errors);
        return $"stage {plan.Stage.Id}  {Clock(seconds)}  {plan.Profile.UsersAt(seconds), 2} users  in {incoming}  out {outgoing}  "
            + $"done {completed}  backlog {last.Queue.Queued, 5}  locks lost {lockLost}  errors {errors}"
            + $"{NodeCpu(earlier, last)}  {Clock(left)} left";
    }

    private string Count(Sources needs, long count) => Told.HasFlag(needs) ? $"{count}" : "–";

    private static string NodeCpu(Reading earlier, Reading last) =>
        last.Nodes is { } nodes && earlier.Nodes is { } before
            ? $"  busiest node {nodes.Since(before).DefaultIfEmpty(0).Max() * 100:0} %"
            : "";

    private static string Clock(double seconds) => $@"{TimeSpan.FromSeconds(Math.Floor(seconds)):m\:ss}";
}
