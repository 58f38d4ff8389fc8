using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <summary>How many deliveries Redis has memory for.</summary>
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
}
