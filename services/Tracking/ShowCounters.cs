using DroneDelivery.Tracking.Writing;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Tracking;

/// <summary><c>GET /track/counters</c>: what became of the hits that this process has answered.</summary>
internal static class ShowCounters
{
    public static Ok<HitCounts> Handle(HitCounters counters) => TypedResults.Ok(counters.Read());
}
