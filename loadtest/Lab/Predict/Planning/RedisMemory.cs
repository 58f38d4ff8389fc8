using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

internal static class RedisMemory
{
    // Approximate sizes: Redis and its clients' buffers; both keys of a delivery without its instructions.
    private const double Used = 2 << 20,
        BytesOfDelivery = 1500;

    /// <summary>Returns how many deliveries fit in Redis; <c>null</c> if unlimited, or if it evicts the oldest.</summary>
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
}
