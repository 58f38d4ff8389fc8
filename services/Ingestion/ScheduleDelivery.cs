using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Idempotency;

namespace DroneDelivery.Ingestion;

/// <summary><c>POST /api/deliveryrequests</c>: 202 when the broker has the request.
/// The same deliveryId again is the same delivery.</summary>
internal static class ScheduleDelivery
{
    private static readonly Fingerprint Requests = new();

    public static async Task<AcceptedMessage<DeliveryRequest>> HandleAsync(
        DeliveryRequest request, DeliveryQueue queue, AcceptanceTokens tokens, TimeProvider time)
    {
        var now = time.GetUtcNow();
        // Version 7 ids grow with time, which keeps the indexes of the stores compact.
        var deliveryId = request.DeliveryId ?? Guid.CreateVersion7(now).ToString();
        var accepted = request with { DeliveryId = deliveryId };
        var fingerprint = FingerprintOf(request);

        var json = await queue.SendAsync(QueueMessage.Delivery, deliveryId, messageId: deliveryId, accepted, fingerprint);
        return new(FollowDelivery.Location(deliveryId, tokens.Write(deliveryId, new(now, fingerprint))), json);
    }

    /// <summary>Equal for equal content, whatever the id.</summary>
    internal static string FingerprintOf(DeliveryRequest request) => Requests.Of(request with { DeliveryId = null });
}
