using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Delivery;

/// <summary>The answers 409.</summary>
internal static class DeliveryConflict
{
    public static ProblemHttpResult OtherRequest(string id) =>
        Conflict("urn:drone-delivery:other-request", $"Delivery '{id}' exists with other content; PATCH changes it.");

    public static ProblemHttpResult Over(string id) => Conflict("urn:drone-delivery:over", $"Delivery '{id}' is completed or cancelled.");

    private static ProblemHttpResult Conflict(string type, string detail) =>
        TypedResults.Problem(detail, statusCode: StatusCodes.Status409Conflict, type: type);
}
