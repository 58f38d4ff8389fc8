namespace DroneDelivery.DroneScheduler.Fleet;

/// <summary>A period in which a drone is idle, in Unix milliseconds.</summary>
internal sealed record FreeTime(string DroneId, long Begins, long Ends);
