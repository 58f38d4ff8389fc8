using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Package;

internal static class PackageProblem
{
    public static ProblemHttpResult Stale(string id) => TypedResults.Problem(
        $"Package '{id}' is not what If-Match or If-None-Match says. GET it, and repeat the change with the ETag of that answer.",
        statusCode: StatusCodes.Status412PreconditionFailed,
        type: "urn:drone-delivery:package-changed");
}
