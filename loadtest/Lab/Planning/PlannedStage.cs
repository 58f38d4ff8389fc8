using DroneDelivery.Lab.Runs;
using DroneDelivery.Lab.Simulations;
using DroneDelivery.Simulation;
using DroneDelivery.Simulation.Planning;

namespace DroneDelivery.Lab.Planning;

/// <summary>What else is asked of a plan.</summary>
internal sealed record PlanQuestions
{
    /// <summary>Deliveries per second that are wanted; null: nobody asks.</summary>
    public double? Target { get; init; }

    /// <summary>Messages that come in all at once.</summary>
    public double? Burst { get; init; }

    /// <summary>Seconds for which Redis is to keep a delivery, at full length.</summary>
    public double? RetentionSeconds { get; init; }

    /// <summary>Rows per second that the database writes; null: nobody knows.</summary>
    public double? DatabaseRate { get; init; }

    /// <summary>Size of the database in the prices; null: the first.</summary>
    public string? Database { get; init; }

    public required PriceFile Prices { get; init; }
}

/// <summary>A setting, planned by formulas and by simulations beside each other.</summary>
/// <param name="Simulated">Figure → the median of the simulations and their range.</param>
/// <param name="Typed">The safe prefetch as one types it: of the full length.</param>
/// <param name="Redis">Bytes that Redis needs or has, at full length.</param>
internal sealed record StageForecast(
    StagePlan Stage,
    Plan Formulas,
    IReadOnlyDictionary<string, SimulatedFigure> Simulated,
    int Typed,
    double Redis,
    Cost Cost,
    PlanQuestions Questions)
{
    // A package and an assignment.
    private const double RowsPerDelivery = 2;

    private static readonly int[] Seeds = [1, 2, 3];

    public Burst? AfterBurst => Questions.Burst is { } messages
        ? Planner.After(SimulatedSetting.Of(Stage), messages, Formulas.Incoming)
        : null;

    public (TargetLayout? Layout, Limit Binds)? Wanted { get; private init; }

    /// <summary>Whether settlements are refused in the simulations because locks are over.</summary>
    public bool LosesLocksSimulated => Simulated["lockLost.any"].Median > 0;

    public static StageForecast Of(StagePlan stage, PlanQuestions questions)
    {
        var setting = SimulatedSetting.Of(stage);
        var plan = Planner.Of(setting, [.. Others(stage, questions)]);
        var redis = questions.RetentionSeconds is { } seconds
            ? RedisMemory.For(plan.Rate * seconds, stage)
            : RedisMemory.Of(stage, plan.Incoming);
        return new(
            stage,
            plan,
            SimulatedFigures.For(stage, Seeds),
            Planner.Of(FullLength(setting, stage.K)).SafePrefetch,
            redis,
            Cost.Of(stage, plan.Incoming, questions.Prices, questions.Database, questions.RetentionSeconds is null ? null : redis),
            questions)
        {
            Wanted = questions.Target is { } target ? TargetLayout.For(stage, target) : null,
        };
    }

    private static IEnumerable<Limit> Others(StagePlan stage, PlanQuestions questions)
    {
        if (questions.DatabaseRate is { } rows)
            yield return new($"the database: {NumberText.Of(rows)} rows/s", rows / RowsPerDelivery) { Kind = LimitKind.Database };
        // Memory that is given has to hold what comes in while a delivery stays.
        if (questions.RetentionSeconds is { } seconds && Given(stage) is { } bytes)
        {
            yield return new($"Redis: {NumberText.Of(bytes / (1 << 20))} MiB", RedisMemory.Holds(bytes, stage) / seconds)
            {
                Kind = LimitKind.Cache,
            };
        }
    }

    private static double? Given(StagePlan stage) =>
        stage.Knobs.Number("redis.deliveriesThatFit", 0) > 0 || stage.Knobs.Number("redis.maxMemory", 0) > 0
            ? RedisMemory.Of(stage, rate: 0)
            : null;

    /// <summary>Lock and prefetch as they are typed.</summary>
    private static Setting FullLength(Setting setting, double k) => setting with
    {
        Queue = setting.Queue with { LockSeconds = setting.Queue.LockSeconds * k },
        Handling = setting.Handling with { Prefetch = (int)(setting.Handling.Prefetch * k) },
    };
}
