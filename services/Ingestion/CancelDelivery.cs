using DroneDelivery.Contracts;

namespace DroneDelivery.Ingestion;

/// <summary><c>DELETE /api/deliveryrequests/{id}</c>: 202 when the broker has the wish, as for a reschedule.</summary>
internal static class CancelDelivery
{
    public static async Task<AcceptedMessage<CancelRequest>> HandleAsync([Id] string id, DeliveryQueue queue)
    {
        var cancel = new CancelRequest { DeliveryId = id };
        // Not the delivery's own message id: a queue with duplicate detection would drop the cancel.
        var json = await queue.SendAsync(QueueMessage.Cancel, id, messageId: $"{id}/cancel", cancel);
        return new(FollowDelivery.Location(id), json);
    }
}
