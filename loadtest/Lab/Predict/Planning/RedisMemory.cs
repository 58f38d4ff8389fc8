using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>How much memory Redis needs for deliveries, at full length.</summary>
internal static class RedisMemory
{
    /// <summary>What a setting is given or needs.</summary>
    /// <param name="rate">Deliveries per second.</param>
    public static double Of(StagePlan plan, double rate) => plan.Knobs switch
    {
        var knobs when knobs.Number("redis.deliveriesThatFit", 0) is > 0 and var fit => For(fit * plan.K, plan),
        var knobs when knobs.Number("redis.maxMemory", 0) is > 0 and var bytes => bytes * plan.K,
        var knobs when knobs.Number("redis.keyTimeToLive", 0) is > 0 and var seconds => For(rate * seconds * plan.K, plan),
        // Nothing ever leaves Redis: no memory would be enough for long. It has to be enough for the load.
        _ => For(rate * plan.Profile.DurationSeconds * plan.K, plan),
    };

    /// <summary>Bytes for so many deliveries.</summary>
    public static double For(double deliveries, StagePlan plan) => SimulatedCache.Used + deliveries * BytesPerDelivery(plan);

    /// <summary>Deliveries that such a memory holds.</summary>
    public static double Holds(double bytes, StagePlan plan) => Math.Max(0, bytes - SimulatedCache.Used) / BytesPerDelivery(plan);

    private static double BytesPerDelivery(StagePlan plan) =>
        plan.Knobs.Number("load.instructions", plan.Profile.InstructionsLength) is var instructions
            && instructions == KnobSet.CountedInstructions
            ? KnobSet.BytesPerDelivery
            : SimulatedCache.BytesOfDelivery + instructions;
}
