using System.Diagnostics;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Package;

/// <summary>
/// <c>PUT /api/packages/{id}</c>: 201 for a new id, 200 otherwise. A replay changes nothing; other content of the same owner replaces the
/// package, unless <c>ifAbsent=true</c>. 409: the package belongs to another owner, and stays as it is.
/// </summary>
internal static class UpsertPackage
{
    public static async Task<Results<Created<PackageDetails>, Ok<PackageDetails>, ProblemHttpResult>> HandleAsync(
        [Id] string id, bool? ifAbsent, PackageUpsert package, PackageStore store, CancellationToken cancellationToken) =>
        await store.UpsertAsync(id, package, ifAbsent is true, cancellationToken) switch
        {
            UpsertResult.Created(var stored) => TypedResults.Created($"{PackagesApi.Prefix}/{id}", stored),
            UpsertResult.Present(var stored) => TypedResults.Ok(stored),
            UpsertResult.OtherOwner => TypedResults.Problem(
                $"Package '{id}' belongs to another owner than '{package.OwnerId}'.",
                statusCode: StatusCodes.Status409Conflict,
                type: "urn:drone-delivery:package-of-another-owner"),
            var result => throw new UnreachableException($"No answer says {result}."),
        };
}
