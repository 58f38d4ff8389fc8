using System.ComponentModel.DataAnnotations;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Package;

/// <summary>
/// <c>GET /api/packages?ownerId=OWNER</c>: the packages of an owner in the order of their ids, at most <c>limit</c> of them (50 unless
/// told, 1,000 at most). <c>next</c> in the answer is where the others are.
/// </summary>
internal static class ListPackages
{
    private const int Usual = 50;

    public static async Task<Ok<PackagePage>> HandleAsync(
        [Id] string ownerId,
        [Id] string? after,
        [Range(1, 1_000)] int? limit,
        HttpRequest request,
        PackageStore store,
        CancellationToken cancellationToken
    )
    {
        var most = limit ?? Usual;
        // One more than asked for tells whether there are others.
        var found = await store.ListAsync(ownerId, after ?? "", most + 1, cancellationToken);
        var page = found.Take(most).ToList();
        var next =
            found.Count > most
                ? $"{request.PathBase}{PackagesApi.Prefix}?ownerId={ownerId}&after={page[^1].Id}&limit={most}"
                : null;
        return TypedResults.Ok(new PackagePage { Packages = page, Next = next });
    }
}
