using DroneDelivery.Model.Simulation;
using Numbers = System.Collections.Immutable.ImmutableSortedDictionary<string, int>;

namespace DroneDelivery.Lab.Predict;

/// <summary>A setting with whole numbers that a search may change.</summary>
internal interface ITunable
{
    /// <summary>Those that may change, the most expensive first: nodes, replicas, memory, calls.</summary>
    IReadOnlyList<TunedNumber> Searched { get; }

    /// <summary>The arguments of <c>--set</c> for a setting: name → value.</summary>
    IReadOnlyDictionary<string, string> SetOf(Numbers numbers);

    /// <summary>The value before the search.</summary>
    string Before(string name);

    Setting SettingOf(Numbers numbers);

    /// <summary>The figures of a simulated setting: figure → value.</summary>
    IReadOnlyDictionary<string, double> FiguresOf(Numbers numbers, Setting setting, Trace trace);
}

/// <param name="Name">As <c>--set</c> names it.</param>
internal sealed record TunedNumber(string Name, TunedKind Kind, int Least, int Most);

internal enum TunedKind
{
    Nodes,
    Replicas,

    /// <summary>Deliveries that fit into Redis.</summary>
    Memory,

    /// <summary>Messages that a receiver handles at a time.</summary>
    Calls,
}
