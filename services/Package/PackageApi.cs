using DroneDelivery.Contracts;
using DroneDelivery.ServiceDefaults;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.Package;

internal static class PackageApi
{
    private const string Prefix = "/api/packages";

    public static void MapPackages(this IEndpointRouteBuilder app)
    {
        var packages = app.MapApi(Prefix).WithTags("Packages");
        packages.MapPost("/", Create);
        packages.MapPut("/{id}", Upsert).ProducesProblem(StatusCodes.Status409Conflict);
        packages.MapGet("/{id}", Get);
        packages.MapPatch("/{id}", Change);
        packages.MapDelete("/{id}", Delete);
        packages.MapGet("/summary/{ownerId}", Summarize);
    }

    private static async Task<Created<PackageDetails>> Create(
        PackageUpsert package, PackageStore store, CancellationToken cancellationToken)
    {
        var id = Guid.NewGuid().ToString();
        var (_, stored) = await store.UpsertAsync(id, package, ifAbsent: true, cancellationToken);
        return TypedResults.Created($"{Prefix}/{id}", stored);
    }

    /// <summary>
    /// 201 for a new id, 200 otherwise: a replay changes nothing, other content of the same owner replaces the package; with
    /// <c>ifAbsent=true</c> it is left as it is. A package of another owner is left alone: 409.
    /// </summary>
    private static async Task<Results<Created<PackageDetails>, Ok<PackageDetails>, ProblemHttpResult>> Upsert(
        [Id] string id, bool? ifAbsent, PackageUpsert package, PackageStore store, CancellationToken cancellationToken)
    {
        var (outcome, stored) = await store.UpsertAsync(id, package, ifAbsent is true, cancellationToken);
        return outcome switch
        {
            UpsertOutcome.Created => TypedResults.Created($"{Prefix}/{id}", stored),
            UpsertOutcome.OtherOwner => TypedResults.Problem(
                $"Package '{id}' belongs to another owner than '{package.OwnerId}'.",
                statusCode: StatusCodes.Status409Conflict,
                type: "urn:drone-delivery:package-of-another-owner"),
            _ => TypedResults.Ok(stored),
        };
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
