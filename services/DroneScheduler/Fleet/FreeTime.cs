namespace DroneDelivery.DroneScheduler.Fleet;

/// <summary>A time in which a drone stands in a depot; Unix time in milliseconds.</summary>
internal sealed record FreeTime(string DroneId, long Begins, long Ends);
