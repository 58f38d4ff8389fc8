using System.ComponentModel.DataAnnotations;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Package;

/// <summary>
/// <c>GET /api/packages?ownerId=OWNER</c>: an owner's packages, ordered by id, in pages of <c>limit</c>. <c>next</c> is the URL of the next
/// page.
/// </summary>
internal static class ListPackages
{
    private const int DefaultLimit = 50;

    public static async Task<Ok<PackagePage>> HandleAsync(
        [Id] string ownerId,
        [Id] string? after,
        [Range(1, 1_000)] int? limit,
        HttpRequest request,
        PackageStore store,
        CancellationToken cancellationToken
    )
    {
        var pageSize = limit ?? DefaultLimit;
        // One more package shows whether there is a next page.
        var found = await store.ListAsync(ownerId, after ?? "", pageSize + 1, cancellationToken);
        var page = found.Take(pageSize).ToList();
        var next =
            found.Count > pageSize
                ? $"{request.PathBase}{PackagesApi.Prefix}?ownerId={ownerId}&after={page[^1].Id}&limit={pageSize}"
                : null;
        return TypedResults.Ok(new PackagePage { Packages = page, Next = next });
    }
}
