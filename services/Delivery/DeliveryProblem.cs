using System.Diagnostics;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Delivery;

internal static class DeliveryProblem
{
    public static ProblemHttpResult OtherRequest(string id) =>
        Conflict(ProblemTypes.OtherRequest, $"Delivery '{id}' exists with different content. Use PATCH to change it.");

    public static ProblemHttpResult From(string id, ChangeResult result) =>
        result switch
        {
            ChangeResult.Over => Conflict(ProblemTypes.Over, $"Delivery '{id}' is completed or cancelled."),
            ChangeResult.TooEarly => Conflict(
                ProblemTypes.NotTakenOff,
                $"The drone of delivery '{id}' has not taken off."
            ),
            ChangeResult.Failed => Failed(id),
            ChangeResult.InvalidField(var field, var error) => TypedResults.Problem(
                new HttpValidationProblemDetails([new(field, [error])]) { Status = StatusCodes.Status400BadRequest }
            ),
            _ => throw new UnreachableException($"Unexpected result {result}."),
        };

    public static ProblemHttpResult Failed(string id) =>
        Conflict(ProblemTypes.Failed, $"The request for delivery '{id}' failed. Send a new request with a new id.");

    public static ProblemHttpResult Recorded(string id) =>
        Conflict(ProblemTypes.Recorded, $"Delivery '{id}' is recorded, so its request succeeded.");

    private static ProblemHttpResult Conflict(string type, string detail) =>
        TypedResults.Problem(detail, statusCode: StatusCodes.Status409Conflict, type: type);
}
