using System.Security.Claims;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Security;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Ingestion;

/// <summary>
/// <c>GET /api/deliveryrequests/{id}</c>, where Location points to: 200 with the delivery's status once it is recorded, also if the
/// request has failed. Until then Ingestion, which stores nothing, cannot tell a queued request from an unknown id. So Location carries
/// an acceptance: with it the answer is 202 (come again after Retry-After), without it 404. If the id turns out to belong to a
/// request with other content, the answer is 409.
/// </summary>
internal static class FollowDelivery
{
    public const string RetryAfterSeconds = "1";

    public static async Task<Results<Ok<DeliveryStatus>, Accepted<PendingDelivery>, ProblemHttpResult>> HandleAsync(
        [Id] string id,
        string? acceptance,
        ClaimsPrincipal user,
        Callers callers,
        DeliveryStatusClient deliveries,
        AcceptanceTokens tokens,
        HttpResponse response,
        CancellationToken cancellationToken
    )
    {
        var owner = callers.OwnerOf(user);
        var accepted = tokens.Read(acceptance, id, owner);
        if (await deliveries.FindAsync(id, cancellationToken) is { } status)
        {
            if (IsOther(status, accepted))
                return OtherRequest(id);
            var isVisible = owner is null || Owners.IsOf(status, owner);
            return isVisible ? TypedResults.Ok(status) : Owners.Unknown(id);
        }
        if (accepted is null)
            return Owners.Unknown(id);

        response.Headers.RetryAfter = RetryAfterSeconds;
        return TypedResults.Accepted(
            DeliveryRequestsApi.LocationOf(id, tokens.Write(id, accepted, owner)),
            new PendingDelivery(id, DeliveryStage.Pending, accepted.At)
        );
    }

    /// <summary>A status without a fingerprint says nothing of the request.</summary>
    private static bool IsOther(DeliveryStatus status, Acceptance? accepted) =>
        accepted is not null && status.Fingerprint is { } recorded && recorded != accepted.Fingerprint;

    private static ProblemHttpResult OtherRequest(string id) =>
        TypedResults.Problem(
            $"The id '{id}' was requested with other content; this request is refused. Send it with another deliveryId.",
            statusCode: StatusCodes.Status409Conflict,
            type: ProblemTypes.OtherRequest
        );
}
