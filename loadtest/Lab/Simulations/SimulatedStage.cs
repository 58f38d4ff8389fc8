using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measurement;
using DroneDelivery.Lab.Runs;
using DroneDelivery.Simulation;

namespace DroneDelivery.Lab.Simulations;

/// <summary>A stage played by the model. Its figures are computed as those of a real run are, from samples of the same counters.</summary>
internal static class SimulatedStage
{
    /// <summary>Everything but the real machine.</summary>
    private const Sources Told = Sources.Everything;

    /// <exception cref="TooManyEventsException">It came to its limit.</exception>
    public static Measured Play(StagePlan plan, int seed, SimulationLimits limits = default) =>
        Measure(plan, Simulator.Run(SimulatedSetting.Of(plan), seed, limits));

    public static Measured Measure(StagePlan plan, Trace trace)
    {
        var final = CountersOf(trace.Moments[^1], trace.MostHeld);
        return new(
            new Series([.. trace.Moments.Select(moment => SampleOf(moment, trace.MostHeld))]),
            plan.Profile,
            plan.BinSeconds,
            LoadOf(trace),
            final,
            plan.MessagesAtStart,
            trace.Moments[^1].CacheFailures,
            plan.HeldAtMost)
        {
            ObservedUntil = trace.ObservedUntil,
            Told = Told,
            Telemetry = TelemetryOf(trace, plan.MessagesAtStart + trace.Accepted - final.Known),
        };
    }

    private static Sample SampleOf(Moment moment, int mostHeld) =>
        new(moment.At, CountersOf(moment, mostHeld), moment.CacheFailures, moment.CacheFailures) { NodesBusy = moment.NodesBusy };

    private static QueueCounters CountersOf(Moment moment, int mostHeld) => QueueCounters.Zero with
    {
        Incoming = moment.Incoming,
        Outgoing = moment.Outgoing,
        Completed = moment.Completed,
        Abandoned = moment.Abandoned,
        DeadLettered = moment.DeadLettered,
        LockLost = moment.LockLost,
        LateCompletes = moment.LateCompletes,
        LateDeadLetters = moment.LateDeadLetters,
        ExpiredLocks = moment.ExpiredLocks,
        Redelivered = moment.Redelivered,
        Active = moment.Active,
        Locked = moment.Locked,
        DeadLetter = moment.DeadLettered,
        Links = [new(Credit: 0, Unsettled: 0, mostHeld)],
    };

    private static LoadResult LoadOf(Trace trace) => new()
    {
        Driver = "simulation",
        StartedAt = DateTimeOffset.UnixEpoch,
        Sent = trace.Accepted + trace.Failed,
        Accepted = trace.Accepted,
        ServerErrors = 0,
        Failed = trace.Failed,
        Dropped = 0,
        P50 = double.NaN,
        P95 = double.NaN,
        P99 = double.NaN,
    };

    /// <summary>What the services would have sent; the model loses nothing on the way.</summary>
    private static Dictionary<string, double> TelemetryOf(Trace trace, long unaccounted)
    {
        var last = trace.Moments[^1];
        var firstFull = trace.Moments.FirstOrDefault(moment => moment.CacheFailures > 0)?.At ?? double.NaN;
        return new()
        {
            ["telemetry.completed"] = last.Completed,
            ["telemetry.completeFailed"] = last.LateCompletes,
            ["telemetry.deadLetterFailed"] = last.LateDeadLetters,
            ["telemetry.lockLost"] = last.LockLost,
            ["telemetry.cacheFull"] = last.CacheFailures,
            ["telemetry.cacheFullFirst"] = firstFull,
            ["telemetry.errors"] = last.CacheFailures,
            ["telemetry.firstError"] = firstFull,
            ["telemetry.processMean"] = trace.Process.Mean,
            ["telemetry.processP50"] = trace.Process.P50,
            ["telemetry.processP95"] = trace.Process.P95,
            ["telemetry.accepted"] = trace.Accepted,
            ["telemetry.unaccounted"] = unaccounted,
            ["telemetry.acceptedDifference"] = 0,
            ["telemetry.completedDifference"] = 0,
        };
    }
}
