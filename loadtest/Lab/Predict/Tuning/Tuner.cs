using System.Collections.Immutable;
using DroneDelivery.Model.Planning;
using DroneDelivery.Model.Simulation;
using Numbers = System.Collections.Immutable.ImmutableSortedDictionary<string, int>;

namespace DroneDelivery.Lab.Predict;

/// <summary>
/// Searches for the smallest configuration that meets a goal: the fewest nodes, then replicas, then memory, then calls. Starts with
/// replicas and calls from the formulas, and lowers each number as far as simulations allow.
/// </summary>
internal sealed class Tuner(TunedStage stage, Goal goal, int seed, IProgress<string> progress, CancellationToken left)
{
    /// <summary>
    /// How much faster than the lab the model can be (docs/explanation/model.md); a configuration must meet the goal at higher costs.
    /// </summary>
    public const double ModelError = 0.03;

    private const double Step = 1.05,
        MostHeadroom = 4;

    private const int Seeds = 3;

    // How many paths to follow. With round-robin placement, one more replica can be worse, and two more better.
    private const int Ways = 8;

    // If this many more nodes don't raise the rate, no number does.
    private const int MaxStepsWithoutGain = 3;

    private readonly Dictionary<string, Judgment> _judgments = [];
    private int _simulations;
    private long _events;

    /// <summary>The maximum number of simulated events, about ten seconds of one core.</summary>
    public long MaxEvents { get; init; } = 60_000_000;

    private bool IsExhausted => _events > MaxEvents;

    public Tuned Search()
    {
        var closest = Numbers.Empty;
        for (var headroom = Goal.Enough * (1 + ModelError); headroom < MostHeadroom && !IsExhausted; headroom *= Step)
        {
            var rate = goal.Rate * headroom;
            (closest, var most) = Grow(rate);
            if (most < rate)
                break;
            Numbers[] tried = [closest, WithMoreCalls(closest)];
            if (Array.Find(tried, Holds) is { } found)
                return Describe(Shrink(found));
        }

        return new(goal, null, Judge(closest), TightestOf(closest), [], _simulations, IsExhausted);
    }

    /// <summary>Returns the fewest nodes and replicas for a rate by the formulas, or the closest configuration.</summary>
    private (Numbers Numbers, double Rate) Grow(double rate)
    {
        var smallest = stage.Searched.ToImmutableSortedDictionary(
            number => number.Name,
            number => number.Kind is TunedKind.Memory or TunedKind.Calls ? number.Most : number.Least
        );
        if (stage.Searched.FirstOrDefault(number => number.Kind == TunedKind.Nodes) is not { } nodes)
            return GrowReplicas(smallest, rate);
        var (best, stepsWithoutGain) = ((Numbers: smallest, Rate: -1.0), 0);
        for (
            var count = nodes.Least;
            count <= nodes.Most && best.Rate < rate && stepsWithoutGain < MaxStepsWithoutGain;
            count++
        )
        {
            var on = smallest.SetItem(nodes.Name, count);
            if (Planner.RateOfAllNodes(stage.SettingOf(on)) < rate && count < nodes.Most)
                continue;
            var grown = GrowReplicas(on, rate);
            (best, stepsWithoutGain) = grown.Rate > best.Rate ? (grown, 0) : (best, stepsWithoutGain + 1);
        }

        return best;
    }

    /// <summary>Adds calls, because handlers also wait for CPUs and locks.</summary>
    private Numbers WithMoreCalls(Numbers numbers) =>
        stage.Searched.FirstOrDefault(number => number.Kind == TunedKind.Calls) is { } calls
            ? numbers.SetItem(calls.Name, Math.Min(calls.Most, 2 * numbers[calls.Name] + 2))
            : numbers;

    private (Numbers Numbers, double Rate) GrowReplicas(Numbers smallest, double rate)
    {
        TunedNumber[] replicas = [.. stage.Searched.Where(number => number.Kind == TunedKind.Replicas)];
        var best = Rated(smallest);
        var ways = new[] { best };
        var maxRounds = stage.SettingOf(smallest).Nodes.Count + replicas.Length;
        for (var round = 0; best.Rate < rate && round < maxRounds && ways.Length > 0; round++)
        {
            left.ThrowIfCancellationRequested();
            ways =
            [
                .. ways.SelectMany(way => OneMore(way.Numbers, replicas))
                    .DistinctBy(Key)
                    .Select(Rated)
                    .OrderByDescending(way => way.Rate)
                    .Take(Ways),
            ];
            if (ways.Length > 0 && ways[0].Rate > best.Rate)
                (best, round) = (ways[0], 0);
        }

        return (Fitted(best.Numbers, rate), best.Rate);
    }

    private static IEnumerable<Numbers> OneMore(Numbers numbers, IEnumerable<TunedNumber> replicas) =>
        replicas
            .Where(replica => numbers[replica.Name] < replica.Most)
            .Select(replica => numbers.SetItem(replica.Name, numbers[replica.Name] + 1));

    private (Numbers Numbers, double Rate) Rated(Numbers numbers) => (numbers, TightestOf(numbers).Rate);

    private Numbers Fitted(Numbers numbers, double rate)
    {
        if (stage.Searched.FirstOrDefault(number => number.Kind == TunedKind.Calls) is not { } calls)
            return numbers;
        var most = numbers.SetItem(calls.Name, calls.Most);
        var limit = LimitsOf(most).First(known => known.Kind is LimitKind.Calls or LimitKind.Prefetch);
        var needed = Math.Ceiling(calls.Most * rate / limit.Rate);
        return numbers.SetItem(calls.Name, (int)Math.Clamp(needed, calls.Least, calls.Most));
    }

    /// <summary>Lowers each number while the goal is met.</summary>
    private Numbers Shrink(Numbers numbers)
    {
        for (var before = ""; before != Key(numbers); )
        {
            before = Key(numbers);
            foreach (var number in stage.Searched)
                numbers = SmallestOf(numbers, number);
        }

        return numbers;
    }

    private Numbers SmallestOf(Numbers numbers, TunedNumber number)
    {
        var (least, most, smallest) = (number.Least, numbers[number.Name], numbers);
        while (least < most)
        {
            // Usually, one less already fails.
            var next = most == numbers[number.Name] ? most - 1 : (least + most) / 2;
            var less = With(numbers, number, next);
            if (Holds(less))
                (most, smallest) = (next, less);
            else
                least = next + 1;
        }

        return smallest;
    }

    /// <summary>Changes a number. Fewer receivers need more calls each.</summary>
    private Numbers With(Numbers numbers, TunedNumber number, int value)
    {
        var less = numbers.SetItem(number.Name, value);
        if (number.Kind != TunedKind.Replicas)
            return less;
        var fitted = Fitted(less, goal.Rate * Goal.Enough * (1 + ModelError));
        return fitted.All(pair => pair.Value >= less[pair.Key]) ? fitted : less;
    }

    private Tuned Describe(Numbers found)
    {
        var smaller = stage
            .Searched.Reverse()
            .Where(number => found[number.Name] > number.Least)
            .Select(number => With(found, number, found[number.Name] - 1))
            .Select(less => new Smaller(Change(found, less), less, Judge(less), TightestOf(less)))
            .ToList();
        return new(goal, found, Judge(found), TightestOf(found), smaller, _simulations, IsExhausted);
    }

    private static string Change(Numbers found, Numbers less) =>
        string.Join(
            ", ",
            less.Where(number => number.Value != found[number.Key]).Select(number => $"{number.Key}={number.Value}")
        );

    private static string Key(Numbers numbers) => string.Join(' ', numbers.Values);

    private IReadOnlyList<Limit> LimitsOf(Numbers numbers) => Planner.LimitsAt(stage.SettingOf(numbers), goal.Rate);

    private Limit TightestOf(Numbers numbers) => LimitsOf(numbers)[0];

    private bool Holds(Numbers numbers) => Judge(numbers).Answer == GoalAnswer.Holds;

    private Judgment Judge(Numbers numbers)
    {
        if (_judgments.TryGetValue(Key(numbers), out var known))
            return known;
        left.ThrowIfCancellationRequested();
        progress.Report($"{_simulations} simulations…");
        return _judgments[Key(numbers)] = Try(numbers);
    }

    /// <summary>Simulates with three seeds; if the goal is met, once more with higher costs.</summary>
    private Judgment Try(Numbers numbers)
    {
        var (setting, figures) = (stage.SettingOf(numbers), Goal.FiguresOf(_ => double.NaN, k: 1));
        try
        {
            for (var i = 0; i < Seeds; i++)
            {
                figures = Play(numbers, setting, seed + i);
                if (goal.MissesOf(figures) is { Count: > 0 } misses)
                    return new(GoalAnswer.Fails, figures, misses);
            }

            var close = goal.MissesOf(Play(numbers, Costlier(setting), seed));
            return new(close.Count > 0 ? GoalAnswer.TooClose : GoalAnswer.Holds, figures, close);
        }
        catch (TooManyEventsException)
        {
            _events = long.MaxValue;
            return new(GoalAnswer.Unknown, figures, []);
        }
    }

    private IReadOnlyDictionary<string, double> Play(Numbers numbers, Setting setting, int seed)
    {
        var trace = Simulator.Run(setting, seed, new(MaxEvents - _events, left));
        _simulations++;
        _events += trace.Events;
        return stage.FiguresOf(numbers, setting, trace);
    }

    private static Setting Costlier(Setting setting) =>
        setting with
        {
            Ingestion = Costlier(setting.Ingestion),
            Workflow = Costlier(setting.Workflow),
            Backends = [.. setting.Backends.Select(Costlier)],
        };

    private static ServiceSetting Costlier(ServiceSetting it) =>
        it with
        {
            Cpu = it.Cpu?.Longer(1 + ModelError),
            Latency = it.Latency?.Longer(1 + ModelError),
        };
}
