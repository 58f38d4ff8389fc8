using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Package;

/// <summary>The routes of Package.</summary>
internal static class PackagesApi
{
    public const string Prefix = "/api/packages";

    public static void MapPackages(this IEndpointRouteBuilder app)
    {
        var packages = app.MapApi(Prefix).WithTags("Packages")
            .ProducesValidationProblem()
            .ProducesProblem(StatusCodes.Status503ServiceUnavailable);

        packages.MapPost("", CreatePackage.HandleAsync)
            .WithName("CreatePackage").WithSummary("Stores a package under a new id.");
        packages.MapPut("/{id}", UpsertPackage.HandleAsync)
            .WithName("UpsertPackage").WithSummary("Stores a package under this id, or replaces the one that its owner stored.")
            .ProducesProblem(StatusCodes.Status409Conflict);
        packages.MapGet("/{id}", Get)
            .WithName("GetPackage").WithSummary("Reads a package.");
        packages.MapPatch("/{id}", Change)
            .WithName("ChangePackage").WithSummary("Changes the members of a package that the body names.");
        packages.MapDelete("/{id}", Delete)
            .WithName("DeletePackage").WithSummary("Deletes a package.");
        packages.MapGet("/summary/{ownerId}", Summarize)
            .WithName("SummarizePackages").WithSummary("Counts and weighs the packages of an owner.");
    }

    private static async Task<Results<Ok<PackageDetails>, NotFound>> Get(
        [Id] string id, PackageStore store, CancellationToken cancellationToken) =>
        await store.FindAsync(id, cancellationToken) is { } package ? TypedResults.Ok(package) : TypedResults.NotFound();

    private static async Task<Results<Ok<PackageDetails>, NotFound>> Change(
        [Id] string id, PackagePatch patch, PackageStore store, CancellationToken cancellationToken) =>
        await store.PatchAsync(id, patch, cancellationToken) is { } package ? TypedResults.Ok(package) : TypedResults.NotFound();

    private static async Task<Results<NoContent, NotFound>> Delete(
        [Id] string id, PackageStore store, CancellationToken cancellationToken) =>
        await store.DeleteAsync(id, cancellationToken) ? TypedResults.NoContent() : TypedResults.NotFound();

    private static async Task<Ok<PackageSummary>> Summarize([Id] string ownerId, PackageStore store, CancellationToken cancellationToken) =>
        TypedResults.Ok(await store.SummarizeAsync(ownerId, cancellationToken));
}
