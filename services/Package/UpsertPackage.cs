using System.ComponentModel.DataAnnotations;
using System.Diagnostics;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.AspNetCore.Mvc;

namespace DroneDelivery.Package;

/// <summary>
/// <c>PUT /api/packages/{id}</c>: 201 for a new id, 200 otherwise. A replay changes nothing; other content of the same owner replaces the
/// package, unless <c>ifAbsent=true</c>. 409: the package belongs to another owner, and stays as it is. 412: it is not the one that
/// <c>If-Match</c> says, or there is one, and <c>If-None-Match: *</c> says that there is none.
/// </summary>
/// <remarks>
/// With <c>ifAbsent=true&amp;for=REQUEST</c> a delivery request needs the package. 409 then also: it is there and has another size or
/// weight, or the request has failed (<see cref="UndoPackage"/>).
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
                new("for", ["for needs ifAbsent=true, and goes without conditions."]),
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
                stored.TaggedIn(response)
            ),
            PackageResult.Present(var stored) => TypedResults.Ok(stored.TaggedIn(response)),
            PackageResult.OtherOwner => Conflict(
                ProblemTypes.PackageOfAnotherOwner,
                $"Package '{id}' belongs to another owner than '{package.OwnerId}'."
            ),
            PackageResult.Differs => Conflict(
                ProblemTypes.PackageDiffers,
                $"Package '{id}' is there and has another size or weight."
            ),
            PackageResult.Failed => Conflict(ProblemTypes.Failed, "The request that needs the package has failed."),
            PackageResult.Stale => PackagesApi.Stale(id),
            _ => throw new UnreachableException($"No answer says {result}."),
        };
    }

    private static ProblemHttpResult Conflict(string type, string detail) =>
        TypedResults.Problem(detail, statusCode: StatusCodes.Status409Conflict, type: type);
}
