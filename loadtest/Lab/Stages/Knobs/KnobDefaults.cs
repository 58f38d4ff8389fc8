namespace DroneDelivery.Lab.Stages;

/// <summary>What holds where nobody sets a knob: the default of the service, or of the lab where the lab applies the knob.</summary>
internal static class KnobDefaults
{
    private static readonly Dictionary<string, double> Numbers = new()
    {
        ["ingestion.replicas"] = 1,
        ["workflow.replicas"] = 1,
        ["package.replicas"] = 1,
        ["dronescheduler.replicas"] = 1,
        ["delivery.replicas"] = 1,
        ["nodes.cpuCost"] = 1,
        ["workflow.maxConcurrentCalls"] = 20,
        ["workflow.prefetchCount"] = 100,
        ["workflow.maxAutoLockRenewalDuration"] = 300,
        ["workflow.abandonDelay"] = 1,
        ["workflow.postponeDelay"] = 1,
        ["queue.lockDuration"] = 60,
        ["queue.maxDeliveryCount"] = 10,
        ["redis.deliveriesThatFit"] = 0,
        ["http.retryJitter"] = 0.5,
        ["http.attemptTimeout"] = 10,
        ["http.concurrencyLimit"] = 100,
        ["http.breakerFailureRatio"] = 0.75,
        ["http.breakerMinimumThroughput"] = 4,
        ["http.breakerSamplingDuration"] = 5,
        ["http.breakerBreakDuration"] = 5,
    };

    public static IEnumerable<string> Names => Numbers.Keys;

    /// <param name="knob">One of <see cref="Names"/>: the others depend on a stage, or nobody asks.</param>
    public static double Of(string knob) => Numbers[knob];
}
