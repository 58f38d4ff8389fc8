using System.ComponentModel.DataAnnotations;
using System.Diagnostics;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.AspNetCore.Mvc;

namespace DroneDelivery.Package;

/// <summary>
/// <c>PUT /api/packages/{id}</c>: 201 for a new id, otherwise 200. A replay changes nothing; different content from the same owner replaces
/// the package, unless <c>ifAbsent=true</c>. 409 for another owner's package. 412 if <c>If-Match</c> or <c>If-None-Match</c> fails.
/// </summary>
/// <remarks>
/// Delivery requests use <c>ifAbsent=true&amp;for=REQUEST</c>. Then 409 also for another size or weight, or if the request has failed.
/// </remarks>
internal static class UpsertPackage
{
    public static async Task<
        Results<Created<PackageDetails>, Ok<PackageDetails>, ValidationProblem, ProblemHttpResult>
    > HandleAsync(
        [Id] string id,
        bool? ifAbsent,
        [Id] string? @for,
        [Range(0, int.MaxValue)] int? attempt,
        [FromHeader(Name = "If-Match")] IfMatch? ifMatch,
        [FromHeader(Name = "If-None-Match"), AllowedValues(null, "*", ErrorMessage = "{0} must be *.")]
            string? ifNoneMatch,
        PackageUpsert package,
        HttpResponse response,
        PackageStore store,
        RequestedPackages requested,
        CancellationToken cancellationToken
    )
    {
        if (@for is not null && (ifAbsent is not true || ifMatch is not null || ifNoneMatch is not null))
        {
            return TypedResults.ValidationProblem([
                new("for", ["Requires ifAbsent=true, without If-Match and If-None-Match."]),
            ]);
        }

        var result = (@for, ifNoneMatch) switch
        {
            ({ } request, _) => await requested.AddAsync(id, package, new(request, attempt ?? 0), cancellationToken),
            (_, null) => await store.UpsertAsync(id, package, ifAbsent is true, ifMatch, cancellationToken),
            _ when ifMatch is null => await store.CreateAsync(id, package, cancellationToken),
            _ => new PackageResult.Stale(),
        };
        return result switch
        {
            PackageResult.Created(var stored) => TypedResults.Created(
                $"{PackagesApi.Prefix}/{id}",
                stored.DetailsWithETag(response)
            ),
            PackageResult.Present(var stored) => TypedResults.Ok(stored.DetailsWithETag(response)),
            PackageResult.OtherOwner => Conflict(
                ProblemTypes.PackageOfAnotherOwner,
                $"Package '{id}' belongs to another owner than '{package.OwnerId}'."
            ),
            PackageResult.Differs => Conflict(
                ProblemTypes.PackageDiffers,
                $"Package '{id}' exists with another size or weight."
            ),
            PackageResult.Failed => Conflict(ProblemTypes.Failed, "The request that needs the package failed."),
            PackageResult.Stale => PackagesApi.Stale(id),
            _ => throw new UnreachableException($"Unexpected result {result}."),
        };
    }

    private static ProblemHttpResult Conflict(string type, string detail) =>
        TypedResults.Problem(detail, statusCode: StatusCodes.Status409Conflict, type: type);
}
