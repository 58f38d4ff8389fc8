using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Ingestion;

/// <summary><c>DELETE /api/deliveryrequests/{id}</c>: 202 when the broker has acknowledged the cancellation.</summary>
internal static class CancelDelivery
{
    public static async Task<Results<Accepted<CancelRequest>, ProblemHttpResult>> HandleAsync(
        [Id] string id,
        string? acceptance,
        HttpContext context,
        Owners owners,
        DeliveryQueue queue
    )
    {
        if (await owners.FindRejectionAsync(context, id, acceptance) is { } rejection)
            return rejection;

        var cancel = new CancelRequest { DeliveryId = id };
        // Not the message id of the delivery request: duplicate detection would drop the cancellation.
        await queue.SendAsync(QueueMessage.Cancel, id, messageId: $"{id}/cancel", cancel);
        return TypedResults.Accepted(DeliveryRequestsApi.GetStatusUrl(id), cancel);
    }
}
