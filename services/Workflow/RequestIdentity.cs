using DroneDelivery.Contracts;
using Canonical = DroneDelivery.ServiceDefaults.Idempotency.Fingerprint;

namespace DroneDelivery.Workflow;

/// <summary>Identifies the delivery request that makes something, or takes it back.</summary>
/// <param name="DeliveryId">Several requests may name the same; the first that is recorded, or fails, has it.</param>
/// <param name="Fingerprint">The content's. Other content under the same delivery id is another request.</param>
/// <param name="Attempt">How often it has been sent again.</param>
/// <param name="AcceptedAt">When it was accepted. Null: the producer did not say.</param>
internal sealed record RequestIdentity(
    string DeliveryId,
    string Fingerprint,
    int Attempt,
    DateTimeOffset? AcceptedAt = null
)
{
    /// <summary>Delivery id and fingerprint in one id, under which the back ends keep what the request has made.</summary>
    public string Key { get; } = $"r{Canonical.Of(new { DeliveryId, Fingerprint })}";

    /// <summary>For a message of a producer that writes none.</summary>
    public static string FingerprintOf(DeliveryRequest request) => Canonical.Of(request with { DeliveryId = null });
}
