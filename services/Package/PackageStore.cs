using DroneDelivery.Contracts;
using DroneDelivery.Database;
using DroneDelivery.ServiceDefaults.Idempotency;

namespace DroneDelivery.Package;

internal sealed class PackageStore(SqlDatabase database)
{
    private static readonly Fingerprint Requests = new();

    public async Task<UpsertResult> UpsertAsync(string id, PackageUpsert package, bool ifAbsent, CancellationToken cancellationToken)
    {
        var row = new { id, package.OwnerId, Size = package.Size.ToString(), package.Weight, package.Tag, Request = Requests.Of(package) };
        if (await TryInsertAsync(row, cancellationToken))
            return new UpsertResult.Created(DetailsOf(id, package));
        if (!ifAbsent && await TryReplaceAsync(row, cancellationToken))
            return new UpsertResult.Present(DetailsOf(id, package));
        return await FindAsync(id, cancellationToken) switch
        {
            // Deleted in between: as if this request had come first.
            null => await UpsertAsync(id, package, ifAbsent, cancellationToken),
            { } stored when stored.OwnerId != package.OwnerId => new UpsertResult.OtherOwner(),
            { } stored => new UpsertResult.Present(stored),
        };
    }

    public async Task<PackageDetails?> FindAsync(string id, CancellationToken cancellationToken) =>
        (await database.FindAsync<Row>(
            "select id, owner_id as OwnerId, size, weight, tag from packages where id = @id", new { id }, cancellationToken))?.ToDetails();

    public async Task<PackageDetails?> PatchAsync(string id, PackagePatch patch, CancellationToken cancellationToken)
    {
        await database.ExecuteAsync("""
            update packages set size = coalesce(@Size, size), weight = coalesce(@Weight, weight), tag = coalesce(@Tag, tag)
            where id = @id
            """, new { id, Size = patch.Size?.ToString(), patch.Weight, patch.Tag }, cancellationToken);
        return await FindAsync(id, cancellationToken);
    }

    /// <returns>False: there is no such package.</returns>
    public async Task<bool> DeleteAsync(string id, CancellationToken cancellationToken) =>
        await database.ExecuteAsync("delete from packages where id = @id", new { id }, cancellationToken) == 1;

    public async Task<PackageSummary> SummarizeAsync(string ownerId, CancellationToken cancellationToken)
    {
        var (count, weight) = await database.SingleAsync<(long, double)>(
            "select count(*), coalesce(sum(weight), 0.0) from packages where owner_id = @ownerId", new { ownerId }, cancellationToken);
        return new PackageSummary { OwnerId = ownerId, Count = (int)count, TotalWeight = weight };
    }

    /// <returns>False: the id is there already.</returns>
    private async Task<bool> TryInsertAsync(object row, CancellationToken cancellationToken) =>
        await database.ExecuteAsync("""
            insert into packages (id, owner_id, size, weight, tag, request)
            values (@id, @OwnerId, @Size, @Weight, @Tag, @Request) on conflict (id) do nothing
            """, row, cancellationToken) == 1;

    /// <returns>False: it has another owner, or the same request stored it, or it is gone.</returns>
    private async Task<bool> TryReplaceAsync(object row, CancellationToken cancellationToken) =>
        await database.ExecuteAsync("""
            update packages set size = @Size, weight = @Weight, tag = @Tag, request = @Request
            where id = @id and owner_id = @OwnerId and request <> @Request
            """, row, cancellationToken) == 1;

    private static PackageDetails DetailsOf(string id, PackageUpsert package) =>
        new() { Id = id, OwnerId = package.OwnerId, Size = package.Size, Weight = package.Weight, Tag = package.Tag };

    private sealed record Row(string Id, string OwnerId, string Size, double Weight, string? Tag)
    {
        public PackageDetails ToDetails() =>
            new() { Id = Id, OwnerId = OwnerId, Size = Enum.Parse<PackageSize>(Size), Weight = Weight, Tag = Tag };
    }
}
