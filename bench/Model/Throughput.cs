using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Planning;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Bench.Model;

/// <summary>The measured or predicted throughput of a configuration.</summary>
/// <param name="Rate">Completed messages per second at full load.</param>
/// <param name="Completed">Messages completed by the end of the load.</param>
internal sealed record Throughput(double Rate, double Completed)
{
    private const double OfRates = 0.10,
        OfCounts = 0.15;

    public static Throughput Of(Func<string, double> figure) =>
        new(figure("completed.plateau"), figure("completed.underLoad"));

    public static Throughput Simulated(StagePlan plan, int seeds)
    {
        var figures = SimulatedFigures.For(plan, [.. Enumerable.Range(1, seeds)]);
        return Of(name => figures[name].Median);
    }

    public static Throughput Planned(StagePlan plan)
    {
        var setting = SimulatedSetting.Of(plan);
        var planned = Planner.Of(setting);
        return new(
            RateOf(planned, setting) * ShareWithRoom(plan.Profile, planned),
            CompletedOf(planned, setting, plan)
        );
    }

    public bool IsRateNear(Throughput measured) => IsWithin(OfRates, Rate, measured.Rate, floor: 0.5);

    public bool IsCountNear(Throughput measured) => IsWithin(OfCounts, Completed, measured.Completed, floor: 5);

    /// <summary>Returns the rate, which can exceed that of incoming messages while initial messages remain.</summary>
    private static double RateOf(Plan planned, Setting setting)
    {
        var hasBacklog = setting.Queue.MessagesAtStart > 0 && planned.Backlog > 0;
        return planned
            .All.First(limit => limit.Kind is not LimitKind.Cache && !(hasBacklog && limit.Kind is LimitKind.Load))
            .Rate;
    }

    private static double CompletedOf(Plan planned, Setting setting, StagePlan plan)
    {
        if (planned.CacheFullAfterSeconds is not null)
            return setting.CacheFits!.Value;
        return planned.LosesLocks
            ? double.NaN
            : setting.Queue.MessagesAtStart + plan.Profile.ExpectedRequests - planned.Backlog;
    }

    /// <summary>Returns the share of the time at full load until the cache is full, after which nothing is completed.</summary>
    private static double ShareWithRoom(StepProfile profile, Plan planned) =>
        planned.CacheFullAfterSeconds is { } seconds
            ? Math.Clamp((seconds - profile.PlateauStart) / (profile.DurationSeconds - profile.PlateauStart), 0, 1)
            : 1;

    /// <summary>Returns whether a prediction is within a share of the measurement, or close enough for small numbers.</summary>
    private static bool IsWithin(double share, double predicted, double measured, double floor) =>
        Math.Abs(predicted - measured) <= Math.Max(floor, share * Math.Abs(measured));
}
