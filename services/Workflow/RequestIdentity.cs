using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Idempotency;

namespace DroneDelivery.Workflow;

/// <summary>Which delivery request it is that makes something, or takes it back.</summary>
/// <param name="DeliveryId">Several requests may name the same; the first that is recorded, or fails, has it.</param>
/// <param name="Fingerprint">Of the content. Other content under the same delivery id is another request.</param>
/// <param name="Attempt">How often it has been sent again.</param>
internal sealed record RequestIdentity(string DeliveryId, string Fingerprint, int Attempt)
{
    private static readonly Fingerprint Fingerprints = new();

    /// <summary>Delivery id and fingerprint in one id, under which the back ends keep what the request has made.</summary>
    public string Key { get; } = $"r{Fingerprints.Of(new { DeliveryId, Fingerprint })}";

    /// <summary>What Ingestion writes into the message; for a message of an older Ingestion it is made from the body.</summary>
    public static string FingerprintOf(DeliveryRequest request) => Fingerprints.Of(request with { DeliveryId = null });
}
