using System.Diagnostics;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Package;

/// <summary><c>POST /api/packages</c>: 201 with the id of the new package.</summary>
internal static class CreatePackage
{
    public static async Task<Created<PackageDetails>> HandleAsync(
        PackageUpsert package,
        HttpResponse response,
        PackageStore store,
        CancellationToken cancellationToken
    )
    {
        var id = Guid.NewGuid().ToString();
        return await store.CreateAsync(id, package, cancellationToken) is PackageResult.Created(var stored)
            ? TypedResults.Created($"{PackagesApi.Prefix}/{id}", stored.DetailsWithETag(response))
            : throw new UnreachableException($"The new id {id} is taken.");
    }
}
