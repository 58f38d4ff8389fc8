using DroneDelivery.Model.Planning;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>What a search for somebody's own system found.</summary>
/// <param name="Found">With the fewest nodes, then replicas, then messages at a time; null: nothing meets the goal.</param>
/// <param name="Binds">The tightest limit of that by arithmetic.</param>
/// <param name="Cheaper">What has one thing less, and why it is not the answer.</param>
internal sealed record TunedSystem(
    SystemFile? Found,
    Judgment Judgment,
    Limit Binds,
    IReadOnlyList<(string Change, string Why)> Cheaper,
    int Simulations
);

/// <summary>
/// Searches the smallest setting of a system that meets a goal. By arithmetic it relieves what binds until nothing does, and simulates
/// that; then it takes away of each field what the goal does not need.
/// </summary>
internal sealed class SystemTuner(
    SystemFile start,
    Goal goal,
    Func<string, bool> isFixed,
    int seed,
    CancellationToken left
)
{
    private const int Most = 1000;
    private const double Step = 1.03,
        MostHeadroom = 1.5;

    private readonly Dictionary<string, Judgment> _judgments = [];
    private readonly string[] _fields = [.. SystemFields.Of(start).Where(field => !isFixed(field))];
    private int _simulations;

    public TunedSystem Search()
    {
        var grown = Grow(out var holds);
        if (!holds)
            return new(null, Judge(grown), TightestOf(grown), [], _simulations);
        var found = Shrink(grown);
        var cheaper = _fields
            .Where(field => found.Number(field) > 1)
            .Select(field => found.With(field, found.Number(field) - 1))
            .Zip(_fields.Where(field => found.Number(field) > 1), (less, field) =>
                ($"{field} {less.Number(field)}", Judge(less).Why)
            );
        return new(found, Judge(found), TightestOf(found), [.. cheaper], _simulations);
    }

    private SystemFile Grow(out bool holds)
    {
        var it = start;
        for (var headroom = Goal.Enough * Step; headroom < MostHeadroom; )
        {
            if (TightestOf(it).Rate < goal.Rate * headroom)
            {
                if (Relieved(it, goal.Rate * headroom) is not { } relieved)
                    break;
                it = relieved;
            }
            else if (holds = Holds(it))
            {
                return it;
            }
            else
            {
                headroom *= Step;
            }
        }

        holds = Holds(it);
        return it;
    }

    /// <summary>
    /// More messages at a time where handlers bind; where a CPU does, the replica that helps most, and a node if none does. Null: nothing
    /// may grow any more.
    /// </summary>
    private SystemFile? Relieved(SystemFile it, double rate)
    {
        var limit = TightestOf(it);
        var calls = SystemFields.CallsOf(limit.Service);
        if (limit.Kind is LimitKind.Calls or LimitKind.Prefetch && May(it, calls))
        {
            return it.With(
                calls,
                Math.Min(Most, Math.Max(it.Number(calls) + 1, (int)Math.Ceiling(it.Number(calls) * rate / limit.Rate)))
            );
        }

        var more = _fields
            .Where(field => !SystemFields.IsCalls(field) && field != SystemFields.Nodes && May(it, field))
            .Select(field => it.With(field, it.Number(field) + 1))
            .MaxBy(system => TightestOf(system).Rate);
        return more is not null && TightestOf(more).Rate > limit.Rate ? more
            : May(it, SystemFields.Nodes) ? it.With(SystemFields.Nodes, it.Number(SystemFields.Nodes) + 1)
            : null;
    }

    private bool May(SystemFile it, string field) => _fields.Contains(field) && it.Number(field) < Most;

    /// <summary>Of each field the smallest number that holds, by halves, until none can be smaller.</summary>
    private SystemFile Shrink(SystemFile it)
    {
        for (var before = ""; before != it.Key(); )
        {
            before = it.Key();
            foreach (var field in _fields)
                it = it.With(field, SmallestOf(it, field));
        }

        return it;
    }

    private int SmallestOf(SystemFile it, string field)
    {
        var (least, most) = (1, it.Number(field));
        while (least < most)
        {
            // Mostly one thing less fails already.
            var next = most == it.Number(field) ? most - 1 : (least + most) / 2;
            (least, most) = Holds(it.With(field, next)) ? (least, next) : (next + 1, most);
        }

        return most;
    }

    private Limit TightestOf(SystemFile it) => Planner.LimitsAt(it.SettingOf(), goal.Rate)[0];

    private bool Holds(SystemFile it) => Judge(it).Answer == GoalAnswer.Holds;

    private Judgment Judge(SystemFile it) =>
        _judgments.TryGetValue(it.Key(), out var known)
            ? known
            : _judgments[it.Key()] = Judgment.Of(goal, it.SettingOf(seed), seed, Play);

    private Trial Play(Setting setting, int number)
    {
        _simulations++;
        return Trial.Worst([
            .. SystemFigures.Play(setting, number, new(Left: left)).Select(queue => Trial.Of(queue, k: 1)),
        ]);
    }
}
