using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Planning;

namespace DroneDelivery.Lab.Predict;

internal sealed record PlanQuestions
{
    /// <summary>Messages that come in all at once.</summary>
    public double? Burst { get; init; }

    /// <summary>Seconds for which Redis is to keep a delivery, at full length.</summary>
    public double? RetentionSeconds { get; init; }

    /// <summary>Rows per second that the database writes; null: nobody knows.</summary>
    public double? DatabaseRate { get; init; }

    public string? Database { get; init; }

    public required PriceFile Prices { get; init; }

    // A package and an assignment.
    private const double RowsPerDelivery = 2;

    /// <summary>The formulas, with what is known of the stores.</summary>
    public Plan Answer(StagePlan stage) => Planner.Of(SimulatedSetting.Of(stage), [.. Others(stage)]);

    /// <summary>A month of a setting with all that is asked for.</summary>
    public Cost CostOf(StagePlan stage, Plan plan) =>
        Cost.Of(stage, plan.Incoming, Prices, Database, RedisBytes(stage, plan));

    /// <summary>Bytes that Redis needs to keep deliveries for as long as is asked; null: nobody asks.</summary>
    public double? RedisBytes(StagePlan stage, Plan plan) =>
        RetentionSeconds is { } seconds ? RedisMemory.For(plan.Rate * seconds, stage) : null;

    private IEnumerable<Limit> Others(StagePlan stage)
    {
        if (DatabaseRate is { } rows)
        {
            yield return new($"the database: {NumberText.Of(rows)} rows/s", rows / RowsPerDelivery)
            {
                Kind = LimitKind.Database,
            };
        }
        // Memory that is given has to hold what comes in while a delivery stays.
        if (RetentionSeconds is { } seconds && Given(stage) is { } bytes)
        {
            yield return new(
                $"Redis: {NumberText.Of(bytes / (1 << 20))} MiB",
                RedisMemory.Holds(bytes, stage) / seconds
            )
            {
                Kind = LimitKind.Cache,
            };
        }
    }

    private static double? Given(StagePlan stage) =>
        stage.Knobs.Number("redis.deliveriesThatFit", 0) > 0 || stage.Knobs.Number("redis.maxMemory", 0) > 0
            ? RedisMemory.Of(stage, rate: 0)
            : null;
}
