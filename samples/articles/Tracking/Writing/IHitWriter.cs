using DroneDelivery.ServiceDefaults.Errors;

namespace DroneDelivery.Tracking.Writing;

/// <summary>Takes hits. Four classes do, and each says what its return promises.</summary>
internal interface IHitWriter
{
    /// <exception cref="DependencyUnavailableException">The hit was not taken; the client may try again.</exception>
    Task WriteAsync(Hit hit);
}
