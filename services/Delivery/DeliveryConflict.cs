using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Delivery;

/// <summary>The answers 409.</summary>
internal static class DeliveryConflict
{
    public static ProblemHttpResult OtherRequest(string id) =>
        Conflict("urn:drone-delivery:other-request", $"Delivery '{id}' exists with other content; PATCH changes it.");

    public static ProblemHttpResult Over(string id) => Conflict("urn:drone-delivery:over", $"Delivery '{id}' is completed or cancelled.");

    public static ProblemHttpResult NotTakenOff(string id) =>
        Conflict("urn:drone-delivery:not-taken-off", $"The drone of delivery '{id}' has not taken off.");

    public static ProblemHttpResult TooManyNotifyMe(string id) => Conflict(
        "urn:drone-delivery:too-many-notify-me-requests",
        $"Delivery '{id}' has {DeliveryStore.MostNotifyMe} notify-me requests, as many as it may have.");

    public static ProblemHttpResult Failed(string id) =>
        Conflict("urn:drone-delivery:failed", $"The request for delivery '{id}' has failed. A new request needs a new id.");

    public static ProblemHttpResult Recorded(string id) =>
        Conflict("urn:drone-delivery:recorded", $"Delivery '{id}' is recorded, so its request has not failed.");

    private static ProblemHttpResult Conflict(string type, string detail) =>
        TypedResults.Problem(detail, statusCode: StatusCodes.Status409Conflict, type: type);
}
