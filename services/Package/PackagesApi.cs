using System.Diagnostics;
using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.AspNetCore.Mvc;

namespace DroneDelivery.Package;

internal static class PackagesApi
{
    public const string Prefix = "/api/packages";

    public static void MapPackages(this IEndpointRouteBuilder app)
    {
        var packages = app.MapApi(Prefix).WithTags("Packages").ProducesValidationProblem();

        packages
            .MapPost("", CreatePackage.HandleAsync)
            .WithName("CreatePackage")
            .WithSummary("Stores a package under a new id.");
        packages
            .MapPut("/{id}", UpsertPackage.HandleAsync)
            .WithName("UpsertPackage")
            .WithSummary("Stores a package under this id, or replaces the one that its owner stored.")
            .ProducesProblem(StatusCodes.Status409Conflict)
            .ProducesProblem(StatusCodes.Status412PreconditionFailed);
        packages
            .MapGet("/{id}", Get)
            .AddEndpointFilter<NotModified>()
            .WithName("GetPackage")
            .WithSummary("Returns a package.")
            .Produces(StatusCodes.Status304NotModified);
        packages
            .MapPatch("/{id}", Change)
            .WithName("ChangePackage")
            .WithSummary("Changes the specified properties of a package.")
            .ProducesProblem(StatusCodes.Status412PreconditionFailed);
        packages
            .MapDelete("/{id}", Delete)
            .WithName("DeletePackage")
            .WithSummary("Deletes a package.")
            .ProducesProblem(StatusCodes.Status412PreconditionFailed);
        packages
            .MapDelete("/{id}/requests/{request}", UndoPackage.HandleAsync)
            .WithName("UndoPackage")
            .WithSummary("Compensates the effects of a failed request on a package.");
        packages
            .MapGet("", ListPackages.HandleAsync)
            .WithName("ListPackages")
            .WithSummary("Lists the packages of an owner, page by page.");
        packages
            .MapGet("/summary/{ownerId}", Summarize)
            .WithName("SummarizePackages")
            .WithSummary("Returns the number and the total weight of an owner's packages.");
    }

    public static ProblemHttpResult Stale(string id) =>
        TypedResults.Problem(
            $"Package '{id}' doesn't match If-Match or If-None-Match. GET it, and retry with the ETag of the response.",
            statusCode: StatusCodes.Status412PreconditionFailed,
            type: ProblemTypes.PackageChanged
        );

    private static async Task<Results<Ok<PackageDetails>, NotFound>> Get(
        [Id] string id,
        HttpResponse response,
        PackageStore store,
        CancellationToken cancellationToken
    ) =>
        await store.FindAsync(id, cancellationToken) is { } package
            ? TypedResults.Ok(package.DetailsWithETag(response))
            : TypedResults.NotFound();

    private static async Task<Results<Ok<PackageDetails>, NotFound, ValidationProblem, ProblemHttpResult>> Change(
        [Id] string id,
        [FromHeader(Name = "If-Match")] IfMatch? ifMatch,
        PackagePatch patch,
        HttpResponse response,
        PackageStore store,
        CancellationToken cancellationToken
    )
    {
        if (patch == new PackagePatch())
            return TypedResults.ValidationProblem([new("$", ["Specify at least one of size, weight, tag."])]);
        return await store.PatchAsync(id, patch, ifMatch, cancellationToken) switch
        {
            PackageResult.Present(var package) => TypedResults.Ok(package.DetailsWithETag(response)),
            PackageResult.Unknown => TypedResults.NotFound(),
            PackageResult.Stale => Stale(id),
            var result => throw new UnreachableException($"Unexpected result {result}."),
        };
    }

    private static async Task<Results<NoContent, NotFound, ProblemHttpResult>> Delete(
        [Id] string id,
        [FromHeader(Name = "If-Match")] IfMatch? ifMatch,
        PackageStore store,
        CancellationToken cancellationToken
    ) =>
        await store.DeleteAsync(id, ifMatch, cancellationToken) switch
        {
            PackageResult.Deleted => TypedResults.NoContent(),
            PackageResult.Unknown => TypedResults.NotFound(),
            PackageResult.Stale => Stale(id),
            var result => throw new UnreachableException($"Unexpected result {result}."),
        };

    private static async Task<Ok<PackageSummary>> Summarize(
        [Id] string ownerId,
        PackageStore store,
        CancellationToken cancellationToken
    ) => TypedResults.Ok(await store.SummarizeAsync(ownerId, cancellationToken));
}
