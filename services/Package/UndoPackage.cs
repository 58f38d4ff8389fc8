using System.ComponentModel.DataAnnotations;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Package;

/// <summary><c>DELETE /api/packages/{id}/requests/{request}</c>: 204, also without effect.</summary>
internal static class UndoPackage
{
    public static async Task<NoContent> HandleAsync(
        [Id] string id,
        [Id] string request,
        [Range(0, int.MaxValue)] int? attempt,
        RequestedPackages packages,
        CancellationToken cancellationToken
    )
    {
        await packages.UndoAsync(id, new(request, attempt ?? 0), cancellationToken);
        return TypedResults.NoContent();
    }
}
