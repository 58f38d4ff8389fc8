using System.Text.Json.Serialization;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Planning;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <param name="Values">Of each knob, as typed.</param>
/// <param name="Refused">Why it cannot be; null: it can.</param>
internal sealed record SweepPoint(IReadOnlyList<double> Values, string? Refused = null)
{
    /// <summary>Completed per second with all users active, in the simulation.</summary>
    public double Rate { get; init; } = double.NaN;

    /// <summary>The same by formulas.</summary>
    public double Formula { get; init; } = double.NaN;

    /// <summary>Settlements and renewals that were refused because a lock was over, in the simulation.</summary>
    public double LocksLost { get; init; } = double.NaN;

    public double Backlog { get; init; } = double.NaN;

    public double BusiestNode { get; init; } = double.NaN;

    public string Binds { get; init; } = "";

    [JsonIgnore]
    public bool LosesLocks => LocksLost > 0;
}

/// <summary>A stage played through the ranges of one or two knobs.</summary>
internal sealed record Sweep(StagePlan Stage, IReadOnlyList<SweepRange> Ranges, IReadOnlyList<SweepPoint> Points)
{
    // A curve has stopped growing when it is so near to its highest point.
    private const double Full = 0.98;

    /// <summary>Of all simulations together: minutes, and not hours.</summary>
    private const double MostMessages = 50e6;

    private const long MostEvents = 200_000_000;

    public bool IsMap => Ranges.Count == 2;

    /// <summary>In the order of the ranges, the first knob outside.</summary>
    /// <param name="play">Plays the stage with knobs; throws <see cref="BadInputException"/> if they do not fit together.</param>
    public static Sweep Of(
        Func<KnobSet, StagePlan> play,
        IReadOnlyList<SweepRange> ranges,
        IProgress<string> progress,
        CancellationToken cancellationToken
    )
    {
        List<Attempt> attempts = [.. SettingsOf(ranges).Select(values => Attempt.Of(play, ranges, values))];
        RequireShort(attempts);
        List<SweepPoint> points =
        [
            .. InParallel(
                attempts,
                attempt => attempt.Play(new(MostEvents, cancellationToken)),
                progress,
                cancellationToken
            ),
        ];
        progress.Report("");
        if (points.TrueForAll(point => point.Refused is not null))
            throw new BadInputException(points[0].Refused!);
        return new(play(KnobSet.Empty), ranges, points);
    }

    /// <summary>On as many cores as there are; in the order of the attempts.</summary>
    private static ParallelQuery<SweepPoint> InParallel(
        List<Attempt> attempts,
        Func<Attempt, SweepPoint> play,
        IProgress<string> progress,
        CancellationToken cancellationToken
    )
    {
        var done = 0;
        return attempts
            .AsParallel()
            .AsOrdered()
            .WithCancellation(cancellationToken)
            .Select(attempt =>
            {
                var point = play(attempt);
                lock (attempts)
                    progress.Report($"{++done} of {attempts.Count} simulations…");
                return point;
            });
    }

    /// <summary>The point of two values; of one knob the second is not used.</summary>
    public SweepPoint At(int first, int second = 0) => Points[IsMap ? first * Ranges[1].Values.Count + second : first];

    /// <summary>Between which points the first knob crosses from settings that keep every lock to those that do not, or back.</summary>
    /// <param name="second">Of a map: which value of the second knob.</param>
    public IEnumerable<(int Before, int After)> Edges(int second = 0)
    {
        var possible = Enumerable.Range(0, Ranges[0].Values.Count).Where(i => At(i, second).Refused is null).ToList();
        return possible
            .Zip(possible.Skip(1))
            .Where(pair => At(pair.First, second).LosesLocks != At(pair.Second, second).LosesLocks);
    }

    /// <summary>From which point on a curve no longer grows; null: it grows to its end, or never did.</summary>
    public int? Knee
    {
        get
        {
            var possible = Enumerable.Range(0, Points.Count).Where(i => Points[i].Refused is null).ToList();
            if (IsMap || possible.Count < 3)
                return null;
            var highest = possible.Max(i => Points[i].Rate);
            var first = possible.Find(i => Points[i].Rate >= Full * highest);
            return Points[possible[0]].Rate < Full * highest && first != possible[^1] ? first : null;
        }
    }

    /// <summary>Where the cliffs are, a sentence each.</summary>
    public IReadOnlyList<string> Says
    {
        get
        {
            var first = Ranges[0];
            var knee = Knee is { } at
                ? [$"The rate stops growing at {first.Knob.Name}={Show(0, at)}: {NumberText.Of(Points[at].Rate)}/s."]
                : Array.Empty<string>();
            var edges = IsMap
                ? Ranges[1]
                    .Values.Index()
                    .SelectMany(second =>
                        Edges(second.Index)
                            .Select(edge =>
                                $"{Ranges[1].Knob.Name}={Show(1, second.Index)}: {Sentence(edge, second.Index)}"
                            )
                    )
                : Edges().Select(edge => Sentence(edge, 0));
            string[] all = [.. knee, .. edges];
            return all.Length > 0
                ? all
                :
                [
                    Points.Any(point => point.LosesLocks)
                        ? "Locks are lost in the whole range."
                        : "No lock is lost in the whole range.",
                ];
        }
    }

    public string Show(int range, int value) => KnobText.Show(Ranges[range].Knob, Ranges[range].Values[value]);

    private string Sentence((int Before, int After) edge, int second)
    {
        var (before, after) = (At(edge.Before, second), At(edge.After, second));
        var what = after.LosesLocks ? "locks begin to be lost" : "no lock is lost any more";
        return $"Between {Ranges[0].Knob.Name}={Show(0, edge.Before)} and {Show(0, edge.After)} {what}: "
            + $"{NumberText.Of(before.Rate)}/s, then {NumberText.Of(after.Rate)}/s.";
    }

    private static IEnumerable<double[]> SettingsOf(IReadOnlyList<SweepRange> ranges) =>
        ranges is [var one, var other]
            ? from a in one.Values
            from b in other.Values
            select (double[])[a, b]
            : ranges[0].Values.Select(value => (double[])[value]);

    private static void RequireShort(List<Attempt> attempts)
    {
        var messages = attempts.Sum(attempt =>
            attempt.Stage is { } stage ? stage.Profile.ExpectedRequests + stage.MessagesAtStart : 0
        );
        if (messages > MostMessages)
        {
            throw new BadInputException(
                $"--sweep: its {attempts.Count} simulations have {NumberText.Of(messages)} messages, and a sweep plays at most "
                    + $"{NumberText.Of(MostMessages)}. Take larger steps, or a shorter run: --k."
            );
        }
    }

    private sealed record Attempt(IReadOnlyList<double> Values, StagePlan? Stage, string? Refused)
    {
        public static Attempt Of(
            Func<KnobSet, StagePlan> play,
            IReadOnlyList<SweepRange> ranges,
            IReadOnlyList<double> values
        )
        {
            try
            {
                var pairs = ranges
                    .Zip(values)
                    .Select(it => $"{it.First.Knob.Name}={KnobText.Show(it.First.Knob, it.Second)}");
                return new(values, play(KnobSet.Parse(pairs)), null);
            }
            catch (BadInputException exception)
            {
                return new(values, null, exception.Message);
            }
        }

        public SweepPoint Play(SimulationLimits limits)
        {
            if (Stage is null)
                return new(Values, Refused);
            var formulas = Planner.Of(SimulatedSetting.Of(Stage));
            try
            {
                var figures = SimulatedFigures.For(Stage, [1], limits);
                return new(Values)
                {
                    Rate = Figure(figures, "completed.plateau"),
                    Formula = formulas.Sustained,
                    LocksLost = Figure(figures, "lockLost.any"),
                    Backlog = Figure(figures, "backlog.loadEnd"),
                    BusiestNode = Figure(figures, "node.busiest"),
                    Binds = PlanText.What(formulas.Binds),
                };
            }
            catch (TooManyEventsException)
            {
                return new(Values, "Messages are redelivered so often that its simulation does not end.");
            }
        }

        private static double Figure(IReadOnlyDictionary<string, SimulatedFigure> figures, string name) =>
            figures.TryGetValue(name, out var figure) ? figure.Median : double.NaN;
    }
}
