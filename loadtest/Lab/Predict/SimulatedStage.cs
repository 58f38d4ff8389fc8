using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Figures;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Lab.Predict;

/// <summary>A simulated stage, with metrics from samples of the same counters as in a real run.</summary>
internal static class SimulatedStage
{
    private const double BinSeconds = 5;

    public static Measured Play(StagePlan plan, int seed, SimulationLimits limits = default) =>
        Measure(plan, Simulator.Run(SimulatedSetting.Of(plan), seed, limits));

    public static Measured Measure(StagePlan plan, Trace trace) =>
        Measure(trace, plan.Profile, plan.BinSeconds, plan.MessagesAtStart, plan.HeldAtMost);

    public static Measured Measure(Setting setting, StepProfile profile, Trace trace) =>
        Measure(
            trace,
            profile,
            BinSeconds,
            setting.Queue.MessagesAtStart,
            setting.Handling.Prefetch > 0 ? setting.Handling.Prefetch : setting.Handling.ConcurrentCalls
        );

    private static Measured Measure(Trace trace, StepProfile profile, double binSeconds, int atStart, int heldAtMost)
    {
        var last = trace.Samples[^1];
        return new(
            new Series(trace.Samples),
            profile,
            binSeconds,
            LoadOf(trace),
            last.Queue,
            atStart,
            last.Errors,
            heldAtMost
        )
        {
            ObservedUntil = trace.ObservedUntil,
            Telemetry = TelemetryOf(trace, atStart + trace.Accepted - last.Queue.Known),
        };
    }

    private static LoadResult LoadOf(Trace trace) =>
        new(
            "simulation",
            DateTimeOffset.UnixEpoch,
            trace.Accepted + trace.Failed,
            trace.Accepted,
            ServerErrors: 0,
            trace.Failed,
            Dropped: 0,
            double.NaN,
            double.NaN,
            double.NaN
        );

    /// <summary>Returns the metrics of complete telemetry.</summary>
    private static Dictionary<string, double> TelemetryOf(Trace trace, long unaccounted)
    {
        var (end, last) = (trace.Samples[^1], trace.Samples[^1].Queue);
        var ages = Percentiles.Of(trace.Ages);
        return new()
        {
            ["telemetry.completed"] = last.Completed,
            ["telemetry.completeFailed"] = last.LateCompletes,
            ["telemetry.deadLetterFailed"] = last.LateDeadLetters,
            ["telemetry.lockLost"] = last.LockLost,
            ["telemetry.cacheFull"] = end.OutOfMemory,
            ["telemetry.cacheFullFirst"] = FirstOf(trace, sample => sample.OutOfMemory),
            ["telemetry.errors"] = end.Errors,
            ["telemetry.firstError"] = FirstOf(trace, sample => sample.Errors),
            ["telemetry.processMean"] = trace.Process.Mean,
            ["telemetry.processP50"] = trace.Process.P50,
            ["telemetry.processP95"] = trace.Process.P95,
            ["telemetry.ageP50"] = ages.P50,
            ["telemetry.ageP95"] = ages.P95,
            ["telemetry.ageP99"] = ages.P99,
            ["telemetry.accepted"] = trace.Accepted,
            ["telemetry.unaccounted"] = unaccounted,
            ["telemetry.acceptedDifference"] = 0,
            ["telemetry.completedDifference"] = 0,
        };
    }

    private static double FirstOf(Trace trace, Func<Sample, long> count) =>
        trace.Samples.FirstOrDefault(sample => count(sample) > 0)?.At ?? double.NaN;
}
