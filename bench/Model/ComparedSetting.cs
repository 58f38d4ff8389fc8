using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Simulations;
using DroneDelivery.Simulation;
using DroneDelivery.Simulation.Planning;

namespace DroneDelivery.Bench.Model;

/// <summary>What one of the three says about a setting. Not a number: it says nothing about that.</summary>
/// <param name="Incoming">Messages a second with all users.</param>
/// <param name="Rate">Messages completed a second with all users.</param>
/// <param name="Completed">Until the load ends.</param>
/// <param name="Lost">Whether messages were handed out again because a lock had ended.</param>
/// <param name="Binds">Redis, locks, the load, CPU or handlers.</param>
internal sealed record Said(double Incoming, double Rate, double Completed, bool Lost, string Binds)
{
    private const string Redis = "Redis", Locks = "locks", Load = "the load", Cpu = "CPU", Handlers = "handlers";

    // A node that is nearly always busy is the limit; users jitter by the other.
    private const double BusyNode = 95, AllOfIt = 0.97;

    public static Said Of(IReadOnlyDictionary<string, double> figures)
    {
        double Figure(string name) => figures.GetValueOrDefault(name, double.NaN);
        var (incoming, rate, lost) = (Figure("incoming.plateau"), Figure("completed.plateau"), Figure("redelivered") > 0);
        var binds = Figure("http.5xx.outOfMemory") > 0 ? Redis
            : lost ? Locks
            : rate >= AllOfIt * incoming && Figure("backlog.slope") is not > 0.5 ? Load
            : Figure("node.busiest") >= BusyNode ? Cpu
            : Handlers;
        return new(incoming, rate, Figure("completed.underLoad"), lost, binds);
    }

    public static Said OfSimulator(StagePlan plan, int seeds) => Of(
        SimulatedFigures.For(plan, [.. Enumerable.Range(1, seeds)]).ToDictionary(it => it.Key, it => it.Value.Median));

    public static Said OfFormulas(StagePlan plan)
    {
        var setting = SimulatedSetting.Of(plan);
        var (said, all) = (Planner.Of(setting), setting.Queue.MessagesAtStart + plan.Profile.ExpectedRequests);
        var isFull = setting.CacheFits is { } fits && fits < all - said.Backlog;
        var binds = isFull ? Redis
            : said.LosesLocks ? Locks
            : said.Limits[0].Rate >= said.Incoming && setting.Queue.MessagesAtStart == 0 ? Load
            : said.Limits[0].What.StartsWith(Handlers, StringComparison.Ordinal) ? Handlers
            : Cpu;
        return isFull || said.LosesLocks
            ? new(double.NaN, double.NaN, isFull ? setting.CacheFits!.Value : double.NaN, said.LosesLocks, binds)
            : new(said.Incoming, CompletedOf(setting, said), all - said.Backlog, said.LosesLocks, binds);
    }

    /// <summary>More than comes in, as long as messages of before wait.</summary>
    private static double CompletedOf(Setting setting, Plan said) =>
        setting.Queue.MessagesAtStart > 0 && said.Backlog > 0 ? said.Limits[0].Rate : said.Rate;
}

/// <summary>A setting that was played, and what was said of it.</summary>
internal sealed record ComparedSetting(int Number, IReadOnlyDictionary<string, string> Knobs, Said Lab, Said Simulator, Said Formulas)
{
    public const double OfRates = 0.10, OfCounts = 0.15;

    public static ComparedSetting Of(int number, StagePlan plan, StageRecord lab, int seeds) => new(
        number,
        plan.Options.Overrides.All.ToDictionary(it => it.Knob.Name, it => it.Knob.Show(it.Value)),
        Said.Of(lab.Figures.ToDictionary(it => it.Key, it => it.Value.Value)),
        Said.OfSimulator(plan, seeds),
        Said.OfFormulas(plan));

    public static bool IsRateRight(Said said, Said lab) => IsWithin(OfRates, said.Rate, lab.Rate, floor: 0.5);

    public static bool IsCountRight(Said said, Said lab) => IsWithin(OfCounts, said.Completed, lab.Completed, floor: 5);

    /// <summary>A share of what was measured, or what chance does to small numbers.</summary>
    private static bool IsWithin(double share, double said, double measured, double floor) =>
        Math.Abs(said - measured) <= Math.Max(floor, share * Math.Abs(measured));
}
