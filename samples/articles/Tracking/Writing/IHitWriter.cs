using DroneDelivery.ServiceDefaults.Errors;

namespace DroneDelivery.Tracking.Writing;

/// <summary>Accepts hits. The implementations define what a completed write guarantees.</summary>
internal interface IHitWriter
{
    /// <exception cref="DependencyUnavailableException">The hit was rejected; the client can retry.</exception>
    Task WriteAsync(Hit hit);
}
