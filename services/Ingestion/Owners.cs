using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults.Security;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Ingestion;

/// <summary>With authentication, callers access only their own deliveries, and receive 404 for others.</summary>
internal sealed class Owners(Callers callers, DeliveryStatusClient deliveries, AcceptanceTokens tokens)
{
    /// <param name="acceptance">The acceptance token, if the caller uses the status URL.</param>
    /// <returns>The rejection; <c>null</c> if the caller may change the delivery.</returns>
    public async Task<ProblemHttpResult?> FindRejectionAsync(HttpContext context, string id, string? acceptance)
    {
        if (callers.OwnerOf(context.User) is not { } owner)
            return null;
        if (await deliveries.FindAsync(id, context.RequestAborted) is { } status)
            return IsOf(status, owner) ? null : Unknown(id);
        return tokens.Read(acceptance, id, owner) is null ? Unknown(id) : Pending(context.Response, id);
    }

    public static bool IsOf(DeliveryStatus status, string owner) => status.OwnerId == owner;

    public static ProblemHttpResult Unknown(string id) =>
        TypedResults.Problem($"No delivery '{id}' is recorded.", statusCode: StatusCodes.Status404NotFound);

    /// <summary>The id may belong to another owner, so it can't be changed yet.</summary>
    private static ProblemHttpResult Pending(HttpResponse response, string id)
    {
        response.Headers.RetryAfter = FollowDelivery.RetryAfterSeconds;
        return TypedResults.Problem(
            $"The request for delivery '{id}' is not recorded yet. Retry the change when the status URL returns 200.",
            statusCode: StatusCodes.Status409Conflict,
            type: ProblemTypes.Pending
        );
    }

    public static ProblemHttpResult OtherOwner() =>
        TypedResults.Problem(
            new HttpValidationProblemDetails([new("ownerId", ["Must be the owner that the token names."])])
            {
                Status = StatusCodes.Status403Forbidden,
                Title = "Delivery of another owner",
                Type = ProblemTypes.OtherOwner,
            }
        );
}
