using DroneDelivery.Contracts;
using Canonical = DroneDelivery.ServiceDefaults.Idempotency.Fingerprint;

namespace DroneDelivery.Workflow;

/// <param name="DeliveryId">The delivery id, which belongs to the first request that is recorded or fails.</param>
/// <param name="Fingerprint">The fingerprint of the content, which distinguishes requests with the same id.</param>
/// <param name="Attempt">The number of times an operator has resent the request.</param>
/// <param name="AcceptedAt">The time of acceptance; <c>null</c> if unknown.</param>
internal sealed record RequestIdentity(
    string DeliveryId,
    string Fingerprint,
    int Attempt,
    DateTimeOffset? AcceptedAt = null
)
{
    /// <summary>The id under which services store the effects of the request.</summary>
    public string Key { get; } = $"r{Canonical.Compute(new { DeliveryId, Fingerprint })}";

    /// <summary>Returns the fingerprint of a request whose producer sent none.</summary>
    public static string FingerprintOf(DeliveryRequest request) =>
        Canonical.Compute(request with { DeliveryId = null });
}
