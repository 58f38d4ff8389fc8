using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Planning;

namespace DroneDelivery.Bench.Model;

/// <summary>What one of the three says about a setting. Not a number: it says nothing about that.</summary>
/// <param name="Incoming">Messages a second with all users.</param>
/// <param name="Rate">Messages completed a second with all users.</param>
/// <param name="Completed">Until the load ends.</param>
/// <param name="Lost">Whether settlements or renewals came after the end of their lock.</param>
/// <param name="Binds">Redis, locks, the load, CPU or handlers.</param>
internal sealed record Said(double Incoming, double Rate, double Completed, bool Lost, string Binds)
{
    private const string Redis = "Redis",
        Locks = "locks",
        Load = "the load",
        Cpu = "CPU",
        Handlers = "handlers";

    // A node that is nearly always busy is the limit; users jitter by the other.
    private const double BusyNode = 95,
        AllOfIt = 0.97;

    /// <param name="offered">Requests a second that all users send to a system which answers at once.</param>
    public static Said Of(IReadOnlyDictionary<string, double> figures, double offered)
    {
        double Figure(string name) => figures.GetValueOrDefault(name, double.NaN);
        var (incoming, rate, lost) = (
            Figure("incoming.plateau"),
            Figure("completed.plateau"),
            Figure("lockLost.any") > 0
        );
        var binds =
            Figure("http.5xx.outOfMemory") > 0 ? Redis
            : lost ? Locks
            // Users wait for their answers: what they could not even ask for was too much for the nodes of Ingestion.
            : rate >= AllOfIt * incoming && incoming >= AllOfIt * offered && Figure("backlog.slope") is not > 0.5 ? Load
            : Figure("node.busiest") >= BusyNode ? Cpu
            : Handlers;
        return new(incoming, rate, Figure("completed.underLoad"), lost, binds);
    }

    public static Said OfSimulator(StagePlan plan, int seeds) =>
        Of(
            SimulatedFigures
                .For(plan, [.. Enumerable.Range(1, seeds)])
                .ToDictionary(it => it.Key, it => it.Value.Median),
            OfferedBy(plan)
        );

    public static double OfferedBy(StagePlan plan) =>
        plan.Profile.MaxUsers * 1000 / plan.Profile.RequestEveryMilliseconds;

    public static Said OfFormulas(StagePlan plan)
    {
        var setting = SimulatedSetting.Of(plan);
        var said = Planner.Of(setting);
        // As long as messages of before wait, more can be completed than come in.
        var binds =
            setting.Queue.MessagesAtStart > 0 && said.Backlog > 0
                ? said.All.First(limit => limit.Kind is not (LimitKind.Load or LimitKind.Cache))
                : said.All.First(limit => limit.Kind is not LimitKind.Cache);
        var completed =
            said.CacheFullAfterSeconds is not null ? setting.CacheFits!.Value
            : said.LosesLocks ? double.NaN
            : setting.Queue.MessagesAtStart + plan.Profile.ExpectedRequests - said.Backlog;
        return new(
            said.Incoming,
            binds.Rate * ShareWithRoom(plan.Profile, said),
            completed,
            said.LosesLocks,
            said.CacheFullAfterSeconds is null ? WordOf(binds.Kind) : Redis
        );
    }

    /// <summary>Share of the time with all users until the cache is full: nothing is completed after it.</summary>
    private static double ShareWithRoom(StepProfile profile, Plan said) =>
        said.CacheFullAfterSeconds is { } seconds
            ? Math.Clamp((seconds - profile.PlateauStart) / (profile.DurationSeconds - profile.PlateauStart), 0, 1)
            : 1;

    private static string WordOf(LimitKind kind) =>
        kind switch
        {
            LimitKind.Load => Load,
            LimitKind.Lock => Locks,
            LimitKind.Cpu or LimitKind.Intake => Cpu,
            _ => Handlers,
        };
}

/// <summary>What is kept of a setting that was played. What is read off it, and what the model says, is computed anew each time.</summary>
/// <param name="Number">In the draw.</param>
/// <param name="Knobs">At full length.</param>
/// <param name="Figures">As in run.json.</param>
internal sealed record PlayedSetting(
    int Number,
    IReadOnlyDictionary<string, string> Knobs,
    IReadOnlyDictionary<string, double> Figures
)
{
    public static PlayedSetting Of(int number, StagePlan plan, StageRecord lab) =>
        new(number, KnobsOf(plan), lab.Figures.ToDictionary(it => it.Key, it => it.Value.Value));

    /// <summary>Whether it is this plan that was played.</summary>
    public bool IsOf(StagePlan plan) => Knobs.Count == KnobsOf(plan).Count && !Knobs.Except(KnobsOf(plan)).Any();

    private static Dictionary<string, string> KnobsOf(StagePlan plan) =>
        plan.Options.Overrides.All.ToDictionary(it => it.Knob.Name, it => it.Knob.Show(it.Value));
}

/// <summary>A setting that was played, and what the two others say of it.</summary>
internal sealed record ComparedSetting(PlayedSetting Played, Said Lab, Said Simulator, Said Formulas)
{
    public const double OfRates = 0.10,
        OfCounts = 0.15;

    public static ComparedSetting Of(PlayedSetting played, StagePlan plan, int seeds) =>
        new(
            played,
            Said.Of(played.Figures, Said.OfferedBy(plan)),
            Said.OfSimulator(plan, seeds),
            Said.OfFormulas(plan)
        );

    public static bool IsRateRight(Said said, Said lab) => IsWithin(OfRates, said.Rate, lab.Rate, floor: 0.5);

    public static bool IsCountRight(Said said, Said lab) => IsWithin(OfCounts, said.Completed, lab.Completed, floor: 5);

    /// <summary>A share of what was measured, or what chance does to small numbers.</summary>
    private static bool IsWithin(double share, double said, double measured, double floor) =>
        Math.Abs(said - measured) <= Math.Max(floor, share * Math.Abs(measured));
}
