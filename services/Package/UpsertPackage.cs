using System.Diagnostics;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.AspNetCore.Mvc;

namespace DroneDelivery.Package;

/// <summary>
/// <c>PUT /api/packages/{id}</c>: 201 for a new id, 200 otherwise. A replay changes nothing; other content of the same owner replaces the
/// package, unless <c>ifAbsent=true</c>. 409: the package belongs to another owner, and stays as it is. 412: it is not the one that
/// <c>If-Match</c> says.
/// </summary>
internal static class UpsertPackage
{
    public static async Task<Results<Created<PackageDetails>, Ok<PackageDetails>, ProblemHttpResult>> HandleAsync(
        [Id] string id,
        bool? ifAbsent,
        [FromHeader(Name = "If-Match"), IfMatchHeader] string? ifMatch,
        PackageUpsert package,
        HttpResponse response,
        PackageStore store,
        CancellationToken cancellationToken) =>
        await store.UpsertAsync(id, package, ifAbsent is true, IfMatch.Of(ifMatch), cancellationToken) switch
        {
            UpsertResult.Created(var stored) => TypedResults.Created($"{PackagesApi.Prefix}/{id}", stored.TaggedIn(response)),
            UpsertResult.Present(var stored) => TypedResults.Ok(stored.TaggedIn(response)),
            UpsertResult.OtherOwner => TypedResults.Problem(
                $"Package '{id}' belongs to another owner than '{package.OwnerId}'.",
                statusCode: StatusCodes.Status409Conflict,
                type: "urn:drone-delivery:package-of-another-owner"),
            UpsertResult.Stale => PackageProblem.Stale(id),
            var result => throw new UnreachableException($"No answer says {result}."),
        };
}
