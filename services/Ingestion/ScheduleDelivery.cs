using DroneDelivery.Contracts;

namespace DroneDelivery.Ingestion;

/// <summary><c>POST /api/deliveryrequests</c>: 202 when the broker has the request.
/// The same deliveryId again is the same delivery.</summary>
internal static class ScheduleDelivery
{
    public static async Task<AcceptedMessage<DeliveryRequest>> HandleAsync(DeliveryRequest request, DeliveryQueue queue, TimeProvider time)
    {
        var now = time.GetUtcNow();
        // Version 7 ids grow with time, which keeps the indexes of the stores compact.
        var deliveryId = request.DeliveryId ?? Guid.CreateVersion7(now).ToString();
        var accepted = request with { DeliveryId = deliveryId };

        var json = await queue.SendAsync(QueueMessage.Delivery, deliveryId, messageId: deliveryId, accepted);
        return new(FollowDelivery.Location(deliveryId, now), json);
    }
}
