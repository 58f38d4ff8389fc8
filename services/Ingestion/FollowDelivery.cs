using System.Security.Claims;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Security;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Ingestion;

/// <summary>
/// <c>GET /api/deliveryrequests/{id}</c>, the status URL: 200 once the delivery is recorded or its request has failed. Until then,
/// Ingestion can't distinguish a queued request from an unknown id: 202 if the URL contains a valid acceptance token, otherwise 404. 409 if
/// the id belongs to a request with different content.
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
            DeliveryRequestsApi.GetStatusUrl(id, tokens.Write(id, accepted, owner)),
            new PendingDelivery(id, DeliveryStage.Pending, accepted.At)
        );
    }

    /// <summary>A status without a fingerprint matches all requests.</summary>
    private static bool IsOther(DeliveryStatus status, Acceptance? accepted) =>
        accepted is not null && status.Fingerprint is { } recorded && recorded != accepted.Fingerprint;

    private static ProblemHttpResult OtherRequest(string id) =>
        TypedResults.Problem(
            $"The id '{id}' belongs to a request with different content, so this request was rejected. Send it with another deliveryId.",
            statusCode: StatusCodes.Status409Conflict,
            type: ProblemTypes.OtherRequest
        );
}
