using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.DroneScheduler;

internal static class FlightProblem
{
    public static ProblemHttpResult OtherRequest(string id) =>
        Problem(
            StatusCodes.Status409Conflict,
            ProblemTypes.OtherRequest,
            $"Delivery '{id}' has a drone for another request. Use PATCH to change it."
        );

    public static ProblemHttpResult Failed(string id) =>
        Problem(StatusCodes.Status409Conflict, ProblemTypes.Failed, $"The request for delivery '{id}' failed.");

    public static ProblemHttpResult Cancelled(string id) =>
        Problem(StatusCodes.Status409Conflict, ProblemTypes.Cancelled, $"Delivery '{id}' is cancelled.");

    public static ProblemHttpResult Flown(string id) =>
        Problem(
            StatusCodes.Status409Conflict,
            ProblemTypes.Flown,
            $"The drone of delivery '{id}' has reached the drop-off."
        );

    public static ProblemHttpResult NoTime(string id) =>
        Problem(
            StatusCodes.Status422UnprocessableEntity,
            ProblemTypes.DroneNeeded,
            $"The drone of delivery '{id}' is in the air and would not be back in time for its next flight."
        );

    public static ProblemHttpResult NoSuitableDrone(string id) =>
        Problem(
            StatusCodes.Status422UnprocessableEntity,
            ProblemTypes.NoSuitableDrone,
            $"No drone can carry the package of delivery '{id}' that far, or every suitable drone is fully booked. "
                + "GET /api/drones lists capacities and ranges."
        );

    private static ProblemHttpResult Problem(int status, string type, string detail) =>
        TypedResults.Problem(detail, statusCode: status, type: type);
}
