using DroneDelivery.Contracts;
using DroneDelivery.Database;

namespace DroneDelivery.Package;

/// <summary>Stores packages, with optimistic concurrency by version.</summary>
internal sealed class PackageStore(SqlDatabase database)
{
    /// <returns><see cref="PackageResult.Stale"/> if a package has this id.</returns>
    public async Task<PackageResult> CreateAsync(string id, PackageUpsert package, CancellationToken cancellationToken)
    {
        var added = StoredPackage.Create(id, package);
        return await TryInsertAsync(added, cancellationToken)
            ? new PackageResult.Created(added)
            : new PackageResult.Stale();
    }

    /// <param name="ifAbsent">Whether to leave an existing package unchanged.</param>
    /// <param name="condition">The expected versions; <c>null</c> for any.</param>
    public async Task<PackageResult> UpsertAsync(
        string id,
        PackageUpsert package,
        bool ifAbsent,
        IfMatch? condition,
        CancellationToken cancellationToken
    )
    {
        var wanted = StoredPackage.Create(id, package);
        // Starts over if another request changes or deletes the package meanwhile.
        while (true)
        {
            if (condition is null && await TryInsertAsync(wanted, cancellationToken))
                return new PackageResult.Created(wanted);
            var stored = await FindAsync(id, cancellationToken);
            if (stored is null && condition is null)
                continue;
            if (stored is null)
                return new PackageResult.Stale();
            if (stored.OwnerId != package.OwnerId)
                return new PackageResult.OtherOwner();
            if (condition?.Allows(stored.Version) is false)
                return new PackageResult.Stale();
            // A client that specifies the version knows the current content.
            var isReplay = stored.Request == wanted.Request && condition is not { IsAny: false };
            var changed = isReplay || ifAbsent ? stored : wanted;
            if (await TryReplaceAsync(stored, changed, cancellationToken))
                return new PackageResult.Present(changed);
        }
    }

    public async Task<StoredPackage?> FindAsync(string id, CancellationToken cancellationToken) =>
        (
            await database.QueryAsync<StoredPackage>(
                $"{StoredPackage.Select} where id = @id",
                new { id },
                cancellationToken
            )
        ).SingleOrDefault();

    public async Task<PackageResult> PatchAsync(
        string id,
        PackagePatch patch,
        IfMatch? condition,
        CancellationToken cancellationToken
    )
    {
        while (await FindAsync(id, cancellationToken) is { } stored)
        {
            if (condition?.Allows(stored.Version) is false)
                return new PackageResult.Stale();
            var changed = stored with
            {
                Size = patch.Size?.ToString() ?? stored.Size,
                Weight = patch.Weight ?? stored.Weight,
                Tag = patch.Tag ?? stored.Tag,
                Version = StoredPackage.NewVersion(),
            };
            if (await TryReplaceAsync(stored, changed, cancellationToken))
                return new PackageResult.Present(changed);
        }
        return new PackageResult.Unknown();
    }

    public async Task<PackageResult> DeleteAsync(string id, IfMatch? condition, CancellationToken cancellationToken)
    {
        const string Delete = "delete from packages where id = @Id and version = @Version";
        while (await FindAsync(id, cancellationToken) is { } stored)
        {
            if (condition?.Allows(stored.Version) is false)
                return new PackageResult.Stale();
            if (await database.ExecuteAsync(Delete, stored, cancellationToken) == 1)
                return new PackageResult.Deleted();
        }
        return new PackageResult.Unknown();
    }

    /// <returns>Up to <paramref name="limit"/> packages after <paramref name="after"/>, ordered by id.</returns>
    public async Task<IReadOnlyList<PackageDetails>> ListAsync(
        string ownerId,
        string after,
        int limit,
        CancellationToken cancellationToken
    )
    {
        var rows = await database.QueryAsync<StoredPackage>(
            $"{StoredPackage.Select} where owner_id = @ownerId and id > @after order by id limit @limit",
            new
            {
                ownerId,
                after,
                limit,
            },
            cancellationToken
        );
        return [.. rows.Select(row => row.Details)];
    }

    public async Task<PackageSummary> SummarizeAsync(string ownerId, CancellationToken cancellationToken)
    {
        var sums = await database.QueryAsync<(long, double)>(
            "select count(*), coalesce(sum(weight), 0.0) from packages where owner_id = @ownerId",
            new { ownerId },
            cancellationToken
        );
        var (count, weight) = sums.Single();
        return new PackageSummary
        {
            OwnerId = ownerId,
            Count = (int)count,
            TotalWeight = weight,
        };
    }

    /// <returns><c>false</c> if a package has this id.</returns>
    private async Task<bool> TryInsertAsync(StoredPackage package, CancellationToken cancellationToken) =>
        await database.ExecuteAsync(StoredPackage.Insert, package, cancellationToken) == 1;

    /// <summary>Stores a change by the owner, after which compensation no longer deletes the package.</summary>
    /// <returns><c>false</c> if the package has changed meanwhile.</returns>
    private async Task<bool> TryReplaceAsync(
        StoredPackage old,
        StoredPackage changed,
        CancellationToken cancellationToken
    ) =>
        await database.ExecuteAsync(
            """
            update packages set size = @Size, weight = @Weight, tag = @Tag, version = @Version, request = @Request,
                made_by_request = 0
            where id = @Id and version = @OldVersion
            """,
            new
            {
                changed.Id,
                changed.Size,
                changed.Weight,
                changed.Tag,
                changed.Version,
                changed.Request,
                OldVersion = old.Version,
            },
            cancellationToken
        ) == 1;
}
