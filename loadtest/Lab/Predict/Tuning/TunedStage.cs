using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation;
using Numbers = System.Collections.Immutable.ImmutableSortedDictionary<string, int>;

namespace DroneDelivery.Lab.Predict;

/// <summary>The stage that a search starts with, and its fixed settings.</summary>
internal sealed record TunedStage(StagePlan Start, KnobSet Full, KnobSet Fixed, double Rate)
{
    /// <summary>The seconds that an unscaled run observes the queue; more if the goal allows a long drain.</summary>
    private const double ObserveSeconds = 480,
        BeyondDrain = 1.2;

    /// <summary>The minimum seconds of full load in an unscaled run.</summary>
    private const double Plateau = 150;

    // Unscaled. At 1/8 scale, it still keeps every handler busy although credit is returned in batches.
    private const int PrefetchPerCall = 32,
        LargestPrefetch = 10_000;

    private const string Calls = "workflow.maxConcurrentCalls",
        Prefetch = "workflow.prefetchCount",
        Memory = "redis.deliveriesThatFit";

    /// <summary>The numbers to search, the most expensive first: nodes, replicas, memory, calls.</summary>
    public IReadOnlyList<TunedNumber> Searched =>
        [
            .. Free("nodes.count", TunedKind.Nodes),
            .. Service.All.SelectMany(service => Free(service.ReplicasKnob, TunedKind.Replicas)),
            .. Full.Number(Memory, 0) > 0 ? Free(Memory, TunedKind.Memory, MemoryForAll) : [],
            .. Free(Calls, TunedKind.Calls, MaxCalls),
        ];

    public static TunedStage Of(Stage stage, Goal goal, KnobSet fixedKnobs, RunOptions options)
    {
        var all = fixedKnobs.With(LoadOf(stage, goal.Rate, fixedKnobs));
        var seconds = Math.Max(ObserveSeconds, BeyondDrain * (goal.DrainSeconds ?? 0));
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
        if (start.Environment.Nodes is null || start.Environment.Latency.Count == 0)
        {
            throw new BadInputException(
                $"environment {start.Environment.Name} declares no nodes or no latencies, so configurations cannot be simulated."
            );
        }

        return new(start, stage.Knobs.With(all), all, goal.Rate);
    }

    public IReadOnlyDictionary<string, string> SetOf(Numbers numbers) =>
        KnobsOf(numbers).All.ToDictionary(set => set.Knob.Name, set => set.Knob.Show(set.Value));

    public string Before(string name) =>
        Start.Stage.Knobs[name] is { } value ? KnobTable.Find(name).Show(value) : "default";

    public Setting SettingOf(Numbers numbers) => SimulatedSetting.Of(PlanOf(numbers));

    public IReadOnlyDictionary<string, double> FiguresOf(Numbers numbers, Setting setting, Trace trace)
    {
        var measured = SimulatedStage.Measure(PlanOf(numbers), trace);
        return Goal.FiguresOf(figure => FigureTable.Find(figure).Of(measured), Start.K);
    }

    public StagePlan PlanOf(Numbers numbers)
    {
        var overrides = KnobsOf(numbers);
        return Start with
        {
            Options = Start.Options with { Overrides = overrides },
            Knobs = Full.With(overrides).Shorten(Start.K),
        };
    }

    public KnobSet KnobsOf(Numbers numbers)
    {
        var searched = KnobSet.Parse(numbers.Select(number => $"{number.Key}={number.Value}"));
        var knobs = Full.With(searched);
        return searched.With(KnobSet.Parse([$"{Prefetch}={PrefetchFor(knobs)}"])).With(Fixed);
    }

    /// <summary>Returns half of the prefetch count that the lock duration allows, or 0 if that is too little.</summary>
    private int PrefetchFor(KnobSet knobs)
    {
        var (calls, workflows) = (knobs.Number(Calls), Math.Max(1, knobs.Number("workflow.replicas")));
        var safe = (knobs.Number("queue.lockDuration") * Rate / workflows + calls / 2) / 2;
        var wanted = PrefetchPerCall * (int)calls;
        return wanted <= Math.Min(safe, LargestPrefetch) ? wanted : 0;
    }

    private IEnumerable<TunedNumber> Free(string knob, TunedKind kind, int most = int.MaxValue)
    {
        var it = KnobTable.Find(knob);
        return Fixed[knob] is null ? [new(it.Name, kind, (int)Math.Max(1, it.Min), (int)Math.Min(it.Max, most))] : [];
    }

    /// <summary>The maximum number of calls: those above http.concurrencyLimit wait or fail, which the model doesn't simulate.</summary>
    private int MaxCalls
    {
        get
        {
            var limit = Full.Number("http.concurrencyLimit");
            return (int)(Fixed[Prefetch] is { Number: > 0 } prefetch ? Math.Min(limit, prefetch.Number) : limit);
        }
    }

    /// <summary>The memory for every delivery of the load, with a margin.</summary>
    private int MemoryForAll =>
        2 * (int)Math.Ceiling(Start.K * (Start.Profile.ExpectedRequests + Start.MessagesAtStart));

    private static void RequirePlateau(StepProfile profile, double k)
    {
        if (profile.PlateauStart >= profile.DurationSeconds)
        {
            throw new BadInputException(
                $"load.duration={profile.DurationSeconds * k:0.#} is too short: all {profile.MaxUsers} users are active only after "
                    + $"{profile.PlateauStart * k:0.#} s. Increase it, or omit it."
            );
        }
    }

    private static KnobSet LoadOf(Stage stage, double rate, KnobSet fixedKnobs)
    {
        var profile = StepProfile.Load(stage.Profile);
        var users = Math.Ceiling(rate * profile.RequestEveryMilliseconds / 1000 - 1e-9);
        var most = KnobTable.Find("load.maxUsers").Max;
        if (users > most)
        {
            throw new BadInputException(
                $"--rate {rate:0.##}: this requires {users} users with {1000 / profile.RequestEveryMilliseconds:0.#} requests/s each, but "
                    + $"load.maxUsers is at most {most}."
            );
        }

        var ramp = profile with { MaxUsers = (int)users, StartUsers = (int)Math.Min(profile.StartUsers, users) };
        var duration = Math.Max(profile.DurationSeconds, Math.Ceiling(ramp.PlateauStart + Plateau));
        var longest = KnobTable.Find("load.duration").Max;
        if (duration > longest)
        {
            throw new BadInputException(
                $"--rate {rate:0.##}: all users are active only after {ramp.PlateauStart:0} s, but a load lasts at most {longest} s. "
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
