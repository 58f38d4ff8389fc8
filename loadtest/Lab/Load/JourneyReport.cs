using DroneDelivery.Contracts;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Lab.Load;

/// <param name="Delivered">Those that were recorded with their drone in time.</param>
/// <param name="P50">Milliseconds from the request to the recorded delivery; likewise the others. Not a number where there is none.</param>
/// <param name="NotDelivered">Why, and how many; the most frequent first. Empty when all were delivered.</param>
internal sealed record JourneyReport(
    int Sent,
    int Delivered,
    double P50,
    double P95,
    double P99,
    IReadOnlyDictionary<DeliveryStage, int> Stages,
    IReadOnlyDictionary<string, int> NotDelivered,
    RecordedDelivery? Last
)
{
    /// <param name="underWay">Those of which nothing is known, because the sending was stopped.</param>
    public static JourneyReport Of(IReadOnlyCollection<Journey> journeys, int underWay = 0)
    {
        var delivered = journeys.Where(journey => journey.Failure is null).ToList();
        var times = Percentiles.Of(delivered.Select(journey => journey.Took.TotalMilliseconds));
        var failures = journeys
            .Where(journey => journey.Failure is not null)
            .CountBy(journey => journey.Failure!)
            .OrderByDescending(cause => cause.Value)
            .ToDictionary();
        if (underWay > 0)
            failures["under way when it was stopped"] = underWay;
        var last = delivered is [.., { Status: { } status, Url: { } url }] ? new RecordedDelivery(url, status) : null;
        return new(
            journeys.Count + underWay,
            delivered.Count,
            times.P50,
            times.P95,
            times.P99,
            StagesOf(journeys),
            failures,
            last
        );
    }

    private static Dictionary<DeliveryStage, int> StagesOf(IEnumerable<Journey> journeys) =>
        journeys
            .Select(journey => journey.Status)
            .OfType<DeliveryStatus>()
            .CountBy(status => status.Stage)
            .OrderBy(stage => stage.Key)
            .ToDictionary();

    public override string ToString() => string.Join('\n', Lines());

    private IEnumerable<string> Lines()
    {
        yield return $"{Delivered} of {Sent} delivered"
            + (Delivered == 0 ? "." : $"; from request to delivery p50 {P50:0} ms, p95 {P95:0} ms, p99 {P99:0} ms.");
        if (Stages.Count > 0)
            yield return $"Stages: {string.Join(", ", Stages.Select(stage => $"{stage.Value} {stage.Key}"))}.";
        foreach (var (why, count) in NotDelivered)
            yield return $"  {count, 5}  {why}";
        if (Last is { Delivery: var delivery })
            yield return $"The last one is {delivery.Stage}, due {delivery.DeliveryEta:yyyy-MM-dd HH:mm} UTC: {Last.Url}";
    }
}

internal sealed record RecordedDelivery(Uri Url, DeliveryStatus Delivery);
