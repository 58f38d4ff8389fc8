using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Simulation;
using Numbers = System.Collections.Immutable.ImmutableSortedDictionary<string, int>;

namespace DroneDelivery.Lab.Predict;

/// <summary>A system from a file, with the load that a rate takes.</summary>
/// <param name="isFixed">Whether the user has set a field.</param>
internal sealed class TunedSystem(SystemFile start, Goal goal, Func<string, bool> isFixed, int seed) : ITunable
{
    private const string Nodes = "nodes.count",
        Replicas = ".replicas",
        Calls = ".maxConcurrentCalls";

    private const int Most = 1000,
        MostCalls = 100;

    // Seconds, the first two; messages.
    private const double Plateau = 150,
        Shortest = 60,
        MostMessages = 100_000;

    private readonly SystemFile _loaded = start with { Load = LoadOf(start.Load!, goal.Rate) };

    public IReadOnlyList<TunedNumber> Searched { get; } = [.. NumbersOf(start).Where(number => !isFixed(number.Name))];

    public IReadOnlyDictionary<string, string> SetOf(Numbers numbers) =>
        numbers.ToDictionary(number => number.Key, number => $"{number.Value}");

    public string Before(string name)
    {
        if (name == Nodes)
            return $"{start.Nodes!.Count}";
        var service = start.Services[name[..name.LastIndexOf('.')]];
        return $"{(name.EndsWith(Calls, StringComparison.Ordinal) ? service.MaxConcurrentCalls : service.Replicas)}";
    }

    public Setting SettingOf(Numbers numbers) => FileOf(numbers).SettingOf(seed);

    public IReadOnlyDictionary<string, double> FiguresOf(Numbers numbers, Setting setting, Trace trace)
    {
        var measured = SimulatedStage.Measure(setting, trace);
        return Goal.FiguresOf(figure => FigureTable.Find(figure).Of(measured), k: 1);
    }

    private static IEnumerable<TunedNumber> NumbersOf(SystemFile it)
    {
        if (it.Nodes is not null)
            yield return new(Nodes, TunedKind.Nodes, 1, Most);
        // Without nodes no call waits for a CPU, so one replica of a back end is enough.
        foreach (var name in it.Services.Keys.Where(name => it.Nodes is not null || name == it.Receives))
            yield return new(name + Replicas, TunedKind.Replicas, 1, Most);
        yield return new(it.Receives + Calls, TunedKind.Calls, 1, MostCalls);
    }

    private SystemFile FileOf(Numbers numbers) =>
        _loaded with
        {
            Nodes = _loaded.Nodes is { } nodes
                ? nodes with
                {
                    Count = numbers.GetValueOrDefault(Nodes, nodes.Count),
                }
                : null,
            Services = _loaded.Services.ToDictionary(it => it.Key, it => ServiceOf(it.Key, it.Value, numbers)),
        };

    private static SystemService ServiceOf(string name, SystemService it, Numbers numbers)
    {
        var calls = numbers.GetValueOrDefault(name + Calls, it.MaxConcurrentCalls);
        return it with
        {
            Replicas = numbers.GetValueOrDefault(name + Replicas, it.Replicas),
            MaxConcurrentCalls = calls,
            PrefetchCount = it.PrefetchCount == 0 ? 0 : Math.Max(it.PrefetchCount, calls),
        };
    }

    private static SystemLoad LoadOf(SystemLoad load, double rate)
    {
        if (load.PerSecond is not null)
        {
            var enough = Math.Max(Shortest, MostMessages / rate);
            return load with { PerSecond = rate, Duration = Math.Min(load.Duration, enough) };
        }

        var users = (int)Math.Ceiling(rate * load.RequestEveryMilliseconds / 1000 - 1e-9);
        var ramp = Math.Max(0, users - load.StartUsers) / load.StepUsers * load.StepSeconds;
        return load with { MaxUsers = users, Duration = Math.Max(load.Duration, ramp + Plateau) };
    }
}
