using System.Globalization;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Bench.Model;

/// <summary>Random configurations, from ranges in which the application works, collapses, or has excess capacity.</summary>
internal static class DrawnSetting
{
    // Long enough for most backlogs at 1/8 scale; observing longer doesn't affect the rates.
    private static readonly Observation Observe = new(120, UntilEmpty: true);

    /// <summary>Returns a numbered configuration, which depends only on the seed and its number.</summary>
    public static StagePlan Plan(int seed, int number, double k, string folder)
    {
        var knobs = KnobSet.Parse(Draw(new Random(unchecked(seed * 7919 + number))));
        return StagePlan.Of(
            Stage.Load("2") with
            {
                Observe = Observe,
            },
            new(k, knobs, Environment: null, folder, new Ports(0), seed + number, Open: false)
        );
    }

    private static List<string> Draw(Random random)
    {
        int Of(int min, int max) => random.Next(min, max + 1);
        var calls = Of(1, 40);
        int[] prefetches = [0, Math.Min(10_000, Of(16, 40) * calls), Of(8 * calls, Math.Max(8 * calls, 4000))];
        List<string> knobs =
        [
            $"nodes.count={Of(4, 12)}",
            $"nodes.vCpu={Of(1, 3)}",
            $"nodes.cpuCost={(0.4 + random.NextDouble()).ToString("0.00", CultureInfo.InvariantCulture)}",
            $"nodes.placement={(Of(1, 4) == 1 ? "Kubernetes" : "RoundRobin")}",
            $"ingestion.replicas={Of(2, 4)}",
            $"workflow.replicas={Of(1, 6)}",
            $"package.replicas={Of(1, 9)}",
            $"dronescheduler.replicas={Of(1, 9)}",
            $"delivery.replicas={Of(1, 9)}",
            $"workflow.maxConcurrentCalls={calls}",
            $"workflow.prefetchCount={prefetches[Of(0, 2)]}",
            $"workflow.maxAutoLockRenewalDuration={(Of(1, 4) == 1 ? 0 : 300)}",
            $"workflow.retryFor={(Of(1, 4) == 1 ? 3600 : 0)}",
            $"queue.lockDuration={Of(30, 300)}",
            $"queue.maxDeliveryCount={Of(2, 10)}",
            $"queue.messagesAtStart={(Of(1, 2) == 1 ? 0 : Of(1000, 20_000))}",
            $"load.maxUsers={Of(10, 50)}",
            $"http.retryDelays={(Of(1, 2) == 1 ? "0,2,6" : "1,4")}",
            $"http.breakerFailureRatio={(Of(1, 4) == 1 ? 0 : 0.75).ToString(CultureInfo.InvariantCulture)}",
        ];
        return Of(1, 5) == 1
            ? [.. knobs, $"redis.deliveriesThatFit={Of(800, 6000)}", "load.instructions=17000"]
            : knobs;
    }
}
