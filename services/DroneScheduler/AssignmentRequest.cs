namespace DroneDelivery.DroneScheduler;

/// <summary>A delivery request that needs a drone.</summary>
/// <param name="Key">The same for all attempts of one request, and for no other request.</param>
/// <param name="Attempt">How often the request has been sent again.</param>
internal sealed record AssignmentRequest(string Key, int Attempt);
