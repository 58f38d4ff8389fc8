using System.Globalization;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Ingestion;

/// <summary>
/// <c>GET /api/deliveryrequests/{id}</c>, where Location points to: 200 with the delivery's status once Workflow has recorded it. Until
/// then Ingestion, which stores nothing, cannot tell a queued request from an unknown id. So Location carries when the
/// request was accepted: with <c>acceptedAt</c> the answer is 202 (come again after Retry-After), without it 404.
/// </summary>
internal static class FollowDelivery
{
    private const string RetryAfterSeconds = "1";

    public static string Location(string deliveryId, DateTimeOffset acceptedAt) =>
        string.Create(CultureInfo.InvariantCulture, $"{DeliveryRequestsApi.Prefix}/{deliveryId}?acceptedAt={acceptedAt.UtcDateTime:s}Z");

    public static async Task<Results<Ok<DeliveryStatus>, Accepted<PendingDelivery>, ProblemHttpResult>> HandleAsync(
        [Id] string id,
        DateTimeOffset? acceptedAt,
        DeliveryStatusClient deliveries,
        HttpResponse response,
        CancellationToken cancellationToken)
    {
        if (await deliveries.FindAsync(id, cancellationToken) is { } status)
            return TypedResults.Ok(status);
        if (acceptedAt is not { } since)
            return TypedResults.Problem($"No delivery '{id}' is recorded.", statusCode: StatusCodes.Status404NotFound);

        response.Headers.RetryAfter = RetryAfterSeconds;
        return TypedResults.Accepted(Location(id, since), new PendingDelivery(id, since));
    }
}

/// <summary>A request that the broker has and Workflow has not recorded yet.</summary>
internal sealed record PendingDelivery(string DeliveryId, DateTimeOffset AcceptedAt);
