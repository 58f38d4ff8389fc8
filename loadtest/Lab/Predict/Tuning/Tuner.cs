using System.Collections.Immutable;
using DroneDelivery.Model.Planning;
using DroneDelivery.Model.Simulation;
using Numbers = System.Collections.Immutable.ImmutableSortedDictionary<string, int>;

namespace DroneDelivery.Lab.Predict;

/// <summary>
/// Searches the smallest setting that meets a goal: the fewest nodes, then replicas, then memory, then calls. Formulas give the
/// replicas that have the CPU for the rate, and the calls that they take; a simulation checks them. Then the search lowers each number as
/// far as the goal allows.
/// </summary>
internal sealed class Tuner(TunedStage stage, Goal goal, int seed, IProgress<string> progress, CancellationToken left)
{
    /// <summary>How much faster than the lab the model can be (docs/explanation/model.md): a setting must hold at such costs.</summary>
    public const double ModelError = 0.03;

    private const double Step = 1.05,
        MostHeadroom = 4;

    private const int Seeds = 3;

    // Replicas go round the nodes, so that one more may be worse, and two be better: several ways are followed.
    private const int Ways = 8;

    // Where that many more nodes have no higher rate, no number of nodes has.
    private const int MostInVain = 3;

    private readonly Dictionary<string, Judgment> _judgments = [];
    private int _simulations;
    private long _events;

    /// <summary>Events of all simulations of a search: some ten seconds of one core.</summary>
    public long MostEvents { get; init; } = 60_000_000;

    private bool IsExhausted => _events > MostEvents;

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

    /// <summary>By arithmetic the fewest nodes and replicas for a rate, or those that come closest.</summary>
    private (Numbers Numbers, double Rate) Grow(double rate)
    {
        var smallest = stage.Searched.ToImmutableSortedDictionary(
            it => it.Name,
            it => it.Kind is TunedKind.Memory or TunedKind.Calls ? it.Most : it.Least
        );
        if (stage.Searched.FirstOrDefault(it => it.Kind == TunedKind.Nodes) is not { } nodes)
            return GrowReplicas(smallest, rate);
        var (best, inVain) = ((Numbers: smallest, Rate: -1.0), 0);
        for (var count = nodes.Least; count <= nodes.Most && best.Rate < rate && inVain < MostInVain; count++)
        {
            var on = smallest.SetItem(nodes.Name, count);
            if (Planner.RateOfAllNodes(stage.SettingOf(on)) < rate && count < nodes.Most)
                continue;
            var grown = GrowReplicas(on, rate);
            (best, inVain) = grown.Rate > best.Rate ? (grown, 0) : (best, inVain + 1);
        }

        return best;
    }

    /// <summary>Handlers also wait for CPUs and locks, which the formulas leave out.</summary>
    private Numbers WithMoreCalls(Numbers numbers) =>
        stage.Searched.FirstOrDefault(it => it.Kind == TunedKind.Calls) is { } calls
            ? numbers.SetItem(calls.Name, Math.Min(calls.Most, 2 * numbers[calls.Name] + 2))
            : numbers;

    private (Numbers Numbers, double Rate) GrowReplicas(Numbers smallest, double rate)
    {
        TunedNumber[] replicas = [.. stage.Searched.Where(it => it.Kind == TunedKind.Replicas)];
        var best = Rated(smallest);
        var ways = new[] { best };
        var patience = stage.SettingOf(smallest).Nodes.Count + replicas.Length;
        for (var round = 0; best.Rate < rate && round < patience && ways.Length > 0; round++)
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
        replicas.Where(it => numbers[it.Name] < it.Most).Select(it => numbers.SetItem(it.Name, numbers[it.Name] + 1));

    private (Numbers Numbers, double Rate) Rated(Numbers numbers) => (numbers, TightestOf(numbers).Rate);

    /// <summary>With as few calls as a rate takes.</summary>
    private Numbers Fitted(Numbers numbers, double rate)
    {
        if (stage.Searched.FirstOrDefault(it => it.Kind == TunedKind.Calls) is not { } calls)
            return numbers;
        var most = numbers.SetItem(calls.Name, calls.Most);
        var limit = LimitsOf(most).First(it => it.Kind is LimitKind.Calls or LimitKind.Prefetch);
        var needed = Math.Ceiling(calls.Most * rate / limit.Rate);
        return numbers.SetItem(calls.Name, (int)Math.Clamp(needed, calls.Least, calls.Most));
    }

    /// <summary>Lowers each number as long as the goal is met, until none can be lower.</summary>
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
            // Mostly one less fails already.
            var next = most == numbers[number.Name] ? most - 1 : (least + most) / 2;
            var less = With(numbers, number, next);
            if (Holds(less))
                (most, smallest) = (next, less);
            else
                least = next + 1;
        }

        return smallest;
    }

    /// <summary>What fewer receivers do takes more calls of each.</summary>
    private Numbers With(Numbers numbers, TunedNumber number, int value)
    {
        var less = numbers.SetItem(number.Name, value);
        if (number.Kind != TunedKind.Replicas)
            return less;
        var fitted = Fitted(less, goal.Rate * Goal.Enough * (1 + ModelError));
        return fitted.All(it => it.Value >= less[it.Key]) ? fitted : less;
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
        string.Join(", ", less.Where(it => it.Value != found[it.Key]).Select(it => $"{it.Key}={it.Value}"));

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

    /// <summary>With three seeds; if it meets the goal, once more with costs that are higher.</summary>
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
        var trace = Simulator.Run(setting, seed, new(MostEvents - _events, left));
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
