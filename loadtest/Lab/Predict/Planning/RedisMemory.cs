using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>How much memory Redis needs for deliveries at full length, and how many it has memory for.</summary>
internal static class RedisMemory
{
    // Redis itself and the buffers of its clients; both keys of a delivery without its instructions. Both roughly.
    private const double Used = 2 << 20,
        BytesOfDelivery = 1500;

    /// <summary>Deliveries that Redis has memory for; null: any number, or the oldest make room for the newest.</summary>
    public static long? Fits(KnobSet knobs)
    {
        if (knobs.Number("redis.keyTimeToLive", 0) > 0)
            return null;
        if (knobs.Number("redis.deliveriesThatFit", 0) is > 0 and var fit)
            return (long)fit;
        return IsEstimate(knobs) ? (long)Math.Max(0, (knobs.Number("redis.maxMemory", 0) - Used) / Bytes(knobs)) : null;
    }

    public static bool IsEstimate(KnobSet knobs) =>
        knobs.Number("redis.deliveriesThatFit", 0) == 0 && knobs.Number("redis.maxMemory", 0) > 0;

    private static double Bytes(KnobSet knobs) => BytesOfDelivery + knobs.Number("load.instructions", 0);

    /// <summary>What a setting is given or needs.</summary>
    public static double Of(StagePlan plan, double rate) =>
        plan.Knobs switch
        {
            var knobs when knobs.Number("redis.deliveriesThatFit", 0) is > 0 and var fit => For(fit * plan.K, plan),
            var knobs when knobs.Number("redis.maxMemory", 0) is > 0 and var bytes => bytes * plan.K,
            var knobs when knobs.Number("redis.keyTimeToLive", 0) is > 0 and var seconds => For(
                rate * seconds * plan.K,
                plan
            ),
            // Nothing ever leaves Redis: no memory would be enough for long. It has to be enough for the load.
            _ => For(rate * plan.Profile.DurationSeconds * plan.K, plan),
        };

    public static double For(double deliveries, StagePlan plan) => Used + deliveries * BytesPerDelivery(plan);

    /// <summary>Deliveries that such a memory holds.</summary>
    public static double Holds(double bytes, StagePlan plan) => Math.Max(0, bytes - Used) / BytesPerDelivery(plan);

    private static double BytesPerDelivery(StagePlan plan) =>
        plan.Knobs.Number("load.instructions", plan.Profile.InstructionsLength) is var instructions
        && instructions == KnobSet.CountedInstructions
            ? KnobSet.BytesPerDelivery
            : BytesOfDelivery + instructions;
}
