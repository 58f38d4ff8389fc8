using DroneDelivery.Model.Planning;

namespace DroneDelivery.Lab.Predict;

internal static class PlanText
{
    /// <summary>Describes a bottleneck, for example <c>CPU of node 3, 20 of 26 ms per delivery for workflow: 70.8/s</c>.</summary>
    public static string Of(Limit limit) => $"{What(limit)}: {NumberText.Of(limit.Rate)}/s";

    /// <summary>Describes a bottleneck briefly, for example <c>CPU of node 3: 70.8/s</c>.</summary>
    public static string Short(Limit limit) => $"{limit.What}: {NumberText.Of(limit.Rate)}/s";

    public static string What(Limit limit) =>
        limit.Kind switch
        {
            LimitKind.Cpu => $"{limit.What}, {Share(limit)}",
            LimitKind.Intake => $"{limit.What}, {NumberText.Of(limit.Work[0])} ms for {limit.Service}",
            LimitKind.Prefetch => $"{limit.What}, because the prefetch count is less than the number of calls",
            _ => limit.What,
        };

    private static string Share(Limit limit) =>
        $"{NumberText.Of(limit.Work.Max())} of {NumberText.Of(limit.Work.Sum())} ms per delivery for {limit.Service}";
}
