using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>Whether a setting meets the goal in the model.</summary>
internal enum GoalAnswer
{
    Holds,

    /// <summary>Only if the application costs no more than the model says. The model may be that wrong.</summary>
    TooClose,

    Fails,

    /// <summary>Nobody knows: its simulation was given up.</summary>
    Unknown,
}

internal sealed record Judgment(GoalAnswer Answer, Trial Trial, IReadOnlyList<Miss> Misses)
{
    private const int Seeds = 3;

    /// <summary>Why it is not the answer, in a sentence without its full stop; where it holds, that it does.</summary>
    public string Why =>
        Answer switch
        {
            GoalAnswer.Fails => Text,
            GoalAnswer.TooClose => $"too close: with costs {Trials.ModelError:0 %} higher, {Text}",
            GoalAnswer.Unknown => "its simulation has more events than the whole search may have",
            _ => "it holds",
        };

    /// <param name="setting">Is simulated with three seeds; if it meets the goal, once more with costs that are higher.</param>
    public static Judgment Of(Goal goal, Setting setting, int seed, Func<Setting, int, Trial> play)
    {
        var trials = new List<Trial>();
        for (var i = 0; i < Seeds; i++)
        {
            trials.Add(play(setting, seed + i));
            if (goal.MissesOf(Trial.Worst(trials)).ToList() is { Count: > 0 } misses)
                return new(GoalAnswer.Fails, Trial.Worst(trials), misses);
        }

        List<Miss> close = [.. goal.MissesOf(play(Costlier(setting), seed))];
        return new(close.Count > 0 ? GoalAnswer.TooClose : GoalAnswer.Holds, Trial.Worst(trials), close);
    }

    private static Setting Costlier(Setting setting) =>
        (Setting)Costlier((ConsumerSetting)setting) with
        {
            Ingestion = Costlier(setting.Ingestion),
            Further = [.. setting.Further.Select(Costlier)],
        };

    private static ConsumerSetting Costlier(ConsumerSetting it) =>
        it with
        {
            Workflow = Costlier(it.Workflow),
            Backends = [.. it.Backends.Select(Costlier)],
        };

    private static ServiceSetting Costlier(ServiceSetting it) =>
        it with
        {
            Cpu = it.Cpu?.Longer(1 + Trials.ModelError),
            Latency = it.Latency?.Longer(1 + Trials.ModelError),
        };

    private string Text => string.Join("; ", Misses.Select(miss => miss.Text));
}

/// <summary>Simulates candidates, each once.</summary>
internal sealed class Trials(TuneSetup setup, Goal goal)
{
    /// <summary>How much faster than the lab the model can be (docs/explanation/model.md): a setting must hold at such costs.</summary>
    public const double ModelError = 0.03;

    private readonly Dictionary<Candidate, Judgment> _judgments = [];
    private long _events;

    public int Simulations { get; private set; }

    public CancellationToken Left { get; init; }

    /// <summary>Whether the search has to end, whatever it has found.</summary>
    public bool IsExhausted => _events > setup.MostEvents;

    /// <summary>What was tried and came nearest to the goal: it misses the fewest things, and completes the most.</summary>
    public (Candidate Candidate, Judgment Judgment)? Best =>
        _judgments
            .OrderBy(it =>
                it.Value.Answer switch
                {
                    GoalAnswer.TooClose => 0,
                    GoalAnswer.Unknown => int.MaxValue,
                    _ => it.Value.Misses.Count,
                }
            )
            .ThenByDescending(it => it.Value.Trial.Completed)
            .Select(it => ((Candidate, Judgment)?)(it.Key, it.Value))
            .FirstOrDefault();

    public Judgment Judge(Candidate candidate) =>
        _judgments.TryGetValue(candidate, out var known) ? known : _judgments[candidate] = Try(candidate);

    private Judgment Try(Candidate candidate)
    {
        try
        {
            return Simulate(candidate);
        }
        catch (TooManyEventsException)
        {
            _events += setup.MostEvents;
            return new(GoalAnswer.Unknown, Trial.Unknown, []);
        }
    }

    private Judgment Simulate(Candidate candidate)
    {
        var plan = setup.PlanOf(candidate);
        return Judgment.Of(goal, SimulatedSetting.Of(plan), setup.Seed, (setting, seed) =>
        {
            var trace = Simulator.Run(setting, seed, new(setup.MostEvents, Left));
            Simulations++;
            _events += trace.Events;
            return Trial.Of(SimulatedStage.Measure(plan, trace), plan.K);
        });
    }
}

/// <summary>The stage that a search begins with, and what it may not change.</summary>
/// <param name="Start">The stage as it would be played, with the load of the goal and the knobs that are fixed.</param>
internal sealed record TuneSetup(StagePlan Start, KnobSet Full, KnobSet Fixed, Budget Budget)
{
    /// <summary>How long a queue is given to become empty, at full length: seconds; more, where a goal allows nearly as much.</summary>
    private const double Patience = 480,
        BeyondDrain = 1.2;

    /// <summary>At full length, with all users: seconds at least.</summary>
    private const double Plateau = 150;

    public int Seed => Start.Options.Seed;

    /// <summary>Events of all simulations of a search: some ten seconds of one core.</summary>
    public long MostEvents { get; init; } = 60_000_000;

    public static TuneSetup Of(
        Stage stage,
        Goal goal,
        KnobSet fixedKnobs,
        RunOptions options,
        DeclaredEnvironment? environment,
        Budget budget
    )
    {
        if (fixedKnobs["nodes.placement"] is { Word: not nameof(PlacementRule.RoundRobin) } placement)
        {
            throw new BadInputException(
                $"nodes.placement={placement.Word}: the search places replicas in turn. Leave it out."
            );
        }

        var load = LoadOf(stage, goal.Rate, fixedKnobs);
        var all = fixedKnobs.With(load);
        var seconds = Math.Max(Patience, BeyondDrain * (goal.DrainSeconds ?? 0));
        var start = StagePlan.Of(
            stage with
            {
                Observe = new(seconds, UntilEmpty: true),
            },
            options with
            {
                Overrides = all,
            }
        );
        RequirePlateau(start.Profile, options.K);
        if (environment is not null)
            start = start with { Environment = environment };
        if (start.Environment.Nodes is null || start.Environment.Latency.Count == 0)
        {
            throw new BadInputException(
                $"environment {start.Environment.Name} declares no nodes or no latencies: nothing tells what a setting would do."
            );
        }

        _ = budget.CostOf(start, goal.Rate); // a size that the prices do not have is said before a search
        return new(start, stage.Knobs.With(all), all, budget);
    }

    public bool IsFixed(string knob) => Fixed[knob] is not null;

    public StagePlan PlanOf(Candidate candidate)
    {
        var overrides = candidate.Knobs.With(Fixed);
        return Start with
        {
            Options = Start.Options with { Overrides = overrides },
            Knobs = Full.With(overrides).Shorten(Start.K),
        };
    }

    private static void RequirePlateau(StepProfile profile, double k)
    {
        if (profile.PlateauStart >= profile.DurationSeconds)
        {
            throw new BadInputException(
                $"load.duration={profile.DurationSeconds * k:0.#}: all {profile.MaxUsers} users are there after "
                    + $"{profile.PlateauStart * k:0.#} s, so no time with all of them is left to judge. Set more, or leave it out."
            );
        }
    }

    /// <summary>Users for the rate, and time for all of them to come.</summary>
    private static KnobSet LoadOf(Stage stage, double rate, KnobSet fixedKnobs)
    {
        var profile = StepProfile.Load(stage.Profile);
        var users = Math.Ceiling(rate * profile.RequestEveryMilliseconds / 1000 - 1e-9);
        var most = KnobTable.Find("load.maxUsers").Max;
        if (users > most)
        {
            throw new BadInputException(
                $"--rate {rate:0.##}: it takes {users} users of {1000 / profile.RequestEveryMilliseconds:0.#} requests/s each, and "
                    + $"load.maxUsers is {most} at most."
            );
        }

        var ramp = profile with { MaxUsers = (int)users, StartUsers = (int)Math.Min(profile.StartUsers, users) };
        var duration = Math.Max(profile.DurationSeconds, Math.Ceiling(ramp.PlateauStart + Plateau));
        var longest = KnobTable.Find("load.duration").Max;
        if (duration > longest)
        {
            throw new BadInputException(
                $"--rate {rate:0.##}: all users are there only after {ramp.PlateauStart:0} s, and a load lasts {longest} s at most. "
                    + $"The ramp of {profile.Name} allows up to {HighestRate(profile, longest):0}/s."
            );
        }

        return KnobSet.Parse([$"load.maxUsers={users}", $"load.duration={duration}"]).With(fixedKnobs);
    }

    private static double HighestRate(StepProfile profile, double longest)
    {
        var steps = Math.Floor((longest - Plateau) / profile.StepSeconds);
        return (profile.StartUsers + steps * profile.StepUsers) * 1000 / profile.RequestEveryMilliseconds;
    }
}
