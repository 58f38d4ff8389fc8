using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Planning;
using DroneDelivery.Model.Simulation;

namespace DroneDelivery.Bench.Model;

/// <summary>Throughput of a setting, measured or predicted.</summary>
/// <param name="Rate">Messages completed a second with all users.</param>
/// <param name="Completed">Until the load ends.</param>
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

    /// <summary>While initial messages are left, more can be completed than come in.</summary>
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

    /// <summary>Share of the time with all users until the cache is full: nothing is completed after it.</summary>
    private static double ShareWithRoom(StepProfile profile, Plan planned) =>
        planned.CacheFullAfterSeconds is { } seconds
            ? Math.Clamp((seconds - profile.PlateauStart) / (profile.DurationSeconds - profile.PlateauStart), 0, 1)
            : 1;

    /// <summary>Within a share of the measurement, or within the scatter of small numbers.</summary>
    private static bool IsWithin(double share, double predicted, double measured, double floor) =>
        Math.Abs(predicted - measured) <= Math.Max(floor, share * Math.Abs(measured));
}
