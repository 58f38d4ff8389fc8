using DroneDelivery.Model.Planning;

namespace DroneDelivery.Lab.Predict;

/// <summary>
/// Searches the setting that meets a goal for the least money: by arithmetic which layouts have the CPU for it, and by simulation which of
/// them meets it with how many calls at a time. Then every setting that is cheaper by one thing is tried, and has to fail.
/// </summary>
internal sealed class Tuner(TuneSetup setup, Goal goal, IProgress<string> progress, CancellationToken left)
{
    // Whatever allows less fails where costs are as much higher as the model may be wrong.
    private const double Promising = Goal.Enough * (1 + Trials.ModelError);

    private const int LayoutsPerNodes = 25,
        LargestPrefetch = 10_000;

    // At full length. An eighth of it still leaves no handler idle while credit comes back in lots.
    private const int PrefetchPerCall = 32;

    private readonly Trials _trials = new(setup, goal) { Left = left };
    private readonly Layouts _layouts = Layouts.Of(setup.Start.Environment.Nodes!.With(setup.Start.Knobs));
    private readonly TuneRanges _may = new(setup);
    private readonly double _serviceSeconds = Planner.Of(SimulatedSetting.Of(setup.Start)).ServiceSeconds;

    private Tuned Result => new(goal, setup, _trials.Simulations, _trials.IsExhausted);

    public Tuned Search()
    {
        foreach (var nodes in _may.Nodes.All.Where(nodes => _layouts.Bound(nodes) >= goal.Rate * Promising))
        {
            foreach (var layout in PromisingOn(nodes))
            {
                left.ThrowIfCancellationRequested();
                progress.Report($"{_trials.Simulations} simulations; {nodes} nodes, {layout.Replicas} replicas…");
                if (FewestCalls(layout) is { } found)
                    return Conclude(Descend(found));
                if (_trials.IsExhausted)
                    return Nothing(isBrokenOff: true);
            }
        }

        return Nothing(isBrokenOff: false);
    }

    /// <summary>Those with the fewest replicas; then each one that allows a higher rate than all before it.</summary>
    private IEnumerable<Layout> PromisingOn(int nodes)
    {
        var (tried, best) = (0, 0.0);
        var enough = LayoutsOn(nodes).Where(layout => layout.Rate >= goal.Rate * Promising);
        foreach (var layout in enough.Where(layout => tried++ < LayoutsPerNodes || layout.Rate > best))
        {
            best = Math.Max(best, layout.Rate);
            yield return layout;
        }
    }

    private IEnumerable<Layout> LayoutsOn(int nodes) =>
        _layouts.On(nodes, _may.Ingestion, _may.Workflow, _may.Backends);

    /// <returns>Null: the layout does not meet the goal with any number of calls.</returns>
    private Candidate? FewestCalls(Layout layout)
    {
        var least = Math.Max(
            _may.Calls.Min,
            (int)Math.Ceiling(goal.Rate * Goal.Enough * _serviceSeconds / layout.Workflow)
        );
        var most = Math.Min(_may.Calls.Max, 3 * least + 4);
        if (least > most)
            return null;
        // More calls take more messages and more CPU at a time, and may lose what fewer keep.
        if (!Holds(most))
            return Holds(least) ? CandidateOf(layout, least) : null;
        while (least < most)
        {
            var middle = (least + most) / 2;
            (least, most) = Holds(middle) ? (least, middle) : (middle + 1, most);
        }

        return CandidateOf(layout, most);

        bool Holds(int calls) => _trials.Judge(CandidateOf(layout, calls)).Answer == GoalAnswer.Holds;
    }

    /// <summary>To cheaper ones as long as one of them holds: what holds need not lie in order.</summary>
    private Candidate Descend(Candidate candidate)
    {
        while (!_trials.IsExhausted)
        {
            left.ThrowIfCancellationRequested();
            var cheaper = CheaperThan(candidate)
                .FirstOrDefault(it => _trials.Judge(it.Candidate).Answer == GoalAnswer.Holds);
            if (cheaper.Candidate is null)
                break;
            candidate = cheaper.Candidate;
        }

        return candidate;
    }

    private Tuned Conclude(Candidate cheapest)
    {
        var cost = CostOf(cheapest);
        return setup.Budget.Allows(cost) ? Describe(cheapest, cost) : TooDear(cheapest, cost);
    }

    private Tuned Describe(Candidate candidate, Cost cost)
    {
        var cheaper = CheaperThan(candidate)
            .Select(it => new Cheaper(
                it.Change,
                it.Candidate,
                _trials.Judge(it.Candidate),
                BindsOf(it.Candidate),
                CostOf(it.Candidate).PerMonth
            ))
            .OrderByDescending(it => it.PerMonth)
            .ThenByDescending(it => it.Candidate)
            .ToList();
        return Result with
        {
            Found = candidate,
            Cost = cost,
            Judgment = _trials.Judge(candidate),
            Cheaper = cheaper,
            Binds = BindsOf(candidate),
            SafePrefetch = Planner.Of(SimulatedSetting.Of(setup.PlanOf(candidate).AtFullLength)).SafePrefetch,
        };
    }

    /// <summary>It meets the goal, but not for the money.</summary>
    private Tuned TooDear(Candidate cheapest, Cost cost) =>
        Result with
        {
            Dear = cheapest,
            Cost = cost,
            Because =
                $"Money binds: the cheapest setting that meets the goal costs {CostText.Of(cost)} a month ({Said(cheapest)}: "
                + $"{CostText.Parts(cost)}), and --max-cost allows {setup.Budget.MostPerMonth!.Value:0.#}."
                + (_trials.IsExhausted ? " The search ended at its limit: something cheaper may hold." : ""),
        };

    private Cost CostOf(Candidate candidate) => setup.Budget.CostOf(setup.PlanOf(candidate), goal.Rate);

    /// <summary>What costs less with one thing less, or costs the same.</summary>
    private IEnumerable<(string Change, Candidate Candidate)> CheaperThan(Candidate it)
    {
        var most = CostOf(it).PerMonth;
        return LessThan(it).Where(less => CostOf(less.Candidate).PerMonth <= most);
    }

    /// <summary>One thing less of each kind that the search may change.</summary>
    private IEnumerable<(string Change, Candidate Candidate)> LessThan(Candidate it)
    {
        foreach (var fewer in FewerCalls(it))
            yield return ($"{fewer.Calls} calls at a time", fewer);
        if (it.Fits > 1 && !setup.IsFixed("redis.deliveriesThatFit"))
            yield return ($"Redis for {it.Fits / 2} deliveries", it with { Fits = it.Fits / 2 });
        if (_may.Backends.Has(it.Backends - 1))
            yield return ($"{it.Backends - 1} replicas of each back end", it with { Backends = it.Backends - 1 });
        if (_may.Ingestion.Has(it.Ingestion - 1))
            yield return ($"{it.Ingestion - 1} replicas of Ingestion", it with { Ingestion = it.Ingestion - 1 });
        if (_may.Workflow.Has(it.Workflow - 1))
        {
            var calls = Math.Clamp(
                (int)Math.Ceiling(1.25 * it.Calls * it.Workflow / (it.Workflow - 1)),
                _may.Calls.Min,
                _may.Calls.Max
            );
            var fewer = it with { Workflow = it.Workflow - 1, Calls = calls };
            yield return ($"{fewer.Workflow} Workflows of {calls} calls", Prefetching(fewer));
        }

        if (_may.Nodes.Has(it.Nodes - 1))
        {
            var best = LayoutsOn(it.Nodes - 1).MaxBy(layout => layout.Rate)!;
            var calls = Math.Clamp(2 * it.Calls * it.Workflow / best.Workflow + 2, _may.Calls.Min, _may.Calls.Max);
            var fewer = CandidateOf(best, calls) with { Fits = it.Fits };
            yield return ($"{fewer.Nodes} nodes, with the {best.Replicas} replicas that suit them best", fewer);
        }
    }

    /// <summary>Down to the first that fails for sure.</summary>
    private IEnumerable<Candidate> FewerCalls(Candidate it)
    {
        for (var calls = it.Calls - 1; _may.Calls.Has(calls); calls--)
        {
            var fewer = Prefetching(it with { Calls = calls });
            yield return fewer;
            if (_trials.Judge(fewer).Answer == GoalAnswer.Fails)
                yield break;
        }
    }

    private Candidate CandidateOf(Layout layout, int calls) =>
        Prefetching(
            new(
                layout.Nodes,
                layout.Ingestion,
                layout.Workflow,
                layout.Backends,
                _may.Fits,
                calls,
                Prefetch: 0,
                setup.Full.Number("queue.lockDuration")
            )
        );

    /// <summary>With half of what a lock allows at most, or with none where that is too little for the handlers.</summary>
    private Candidate Prefetching(Candidate it)
    {
        if (setup.IsFixed("workflow.prefetchCount"))
            return it with { Prefetch = (int)setup.Fixed.Number("workflow.prefetchCount", 0) };
        var safe = (it.LockSeconds * goal.Rate / it.Workflow + it.Calls / 2.0) / 2;
        var wanted = PrefetchPerCall * it.Calls;
        return it with { Prefetch = wanted <= Math.Min(safe, LargestPrefetch) ? wanted : 0 };
    }

    private Limit BindsOf(Candidate candidate) => Planner.Of(SimulatedSetting.Of(setup.PlanOf(candidate))).Limits[0];

    /// <summary>Nothing meets the goal, and what makes that so; or nothing was found, and nobody knows.</summary>
    private Tuned Nothing(bool isBrokenOff) =>
        Result with
        {
            IsExhausted = isBrokenOff,
            Because = isBrokenOff ? BrokenOff() : WhyNot(),
        };

    private string BrokenOff() =>
        $"The search ended at its limit of {setup.MostEvents / 1_000_000} million simulated events, so nobody knows whether a setting "
        + "meets the goal; shorter simulations (a larger --k) get further. "
        + Nearest();

    private string WhyNot() =>
        _layouts.Bound(_may.Nodes.Max) < goal.Rate * Promising ? TooFewNodes()
        : _may.Calls.Max * _may.Workflow.Max / _serviceSeconds is var rate && rate < goal.Rate * Goal.Enough
            ? $"Handlers bind: {_may.Workflow.Max} × {_may.Calls.Max} calls of {_serviceSeconds * 1000:0.#} ms each "
                + $"complete {rate:0.#}/s."
        : _trials.Best is not null ? Nearest()
        : NoLayout();

    private string TooFewNodes()
    {
        var (cpu, most) = (_layouts.CpuOfDelivery, _layouts.Bound(_may.Nodes.Max));
        return $"CPU binds: a delivery takes {cpu * 1000:0.#} ms of CPU, so {goal.Rate:0.#}/s keep {goal.Rate * cpu:0.#} vCPUs "
            + $"busy; {_may.Nodes.Max} nodes have {most * cpu:0.#} beside their system, enough for {most:0.#}/s.";
    }

    private string NoLayout()
    {
        var best = LayoutsOn(_may.Nodes.Max).MaxBy(layout => layout.Rate)!;
        return $"CPU binds: however the replicas are placed on {best.Nodes} nodes, one of them can do {best.Rate:0.#}/s at most.";
    }

    private string Nearest()
    {
        var (candidate, judgment) = _trials.Best!.Value;
        var limit = BindsOf(candidate);
        return $"Closest in {_trials.Simulations} simulations ({Said(candidate)}): {judgment.Why}. "
            + $"Tightest limit: {limit.What}, {limit.Rate:0.#}/s.";
    }

    private static string Said(Candidate it) =>
        $"{it.Nodes} nodes, {it.Replicas} replicas, {it.Calls} calls at a time{(it.Fits > 0 ? $", Redis for {it.Fits} deliveries" : "")}";
}
