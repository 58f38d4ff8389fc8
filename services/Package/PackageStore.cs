using Dapper;
using DroneDelivery.Contracts;
using DroneDelivery.Database;
using DroneDelivery.ServiceDefaults.Idempotency;

namespace DroneDelivery.Package;

internal sealed class PackageStore(SqlDatabase database)
{
    private const string Select = "select id, owner_id as OwnerId, size, weight, tag, version, requests from packages";

    /// <param name="ifAbsent">Leaves a package that is there.</param>
    /// <param name="condition">Leaves a package that is not the one that the client knows. Null: none.</param>
    public async Task<PackageResult> UpsertAsync(
        string id,
        PackageUpsert package,
        bool ifAbsent,
        IfMatch? condition,
        CancellationToken cancellationToken
    )
    {
        // Again from the start when another request has changed or deleted it in between.
        while (true)
        {
            if (
                condition is null
                && await TryInsertAsync(id, package, neededBy: null, cancellationToken) is { } created
            )
            {
                return new PackageResult.Created(created);
            }
            if (!ifAbsent && await TryReplaceAsync(id, package, condition, cancellationToken) is { } replaced)
                return new PackageResult.Present(replaced);
            var stored = await FindAsync(id, cancellationToken);
            if (stored is null && condition is null)
                continue;
            if (stored is null)
                return new PackageResult.Stale();
            if (stored.Details.OwnerId != package.OwnerId)
                return new PackageResult.OtherOwner();
            if (condition?.Allows(stored.Version) is false)
                return new PackageResult.Stale();
            if (await TryClaimAsync(id, stored, cancellationToken) is { } claimed)
                return claimed;
        }
    }

    public async Task<StoredPackage?> FindAsync(string id, CancellationToken cancellationToken) =>
        (await database.QueryAsync<Row>($"{Select} where id = @id", new { id }, cancellationToken))
            .SingleOrDefault()
            ?.ToPackage();

    public async Task<PackageResult> PatchAsync(
        string id,
        PackagePatch patch,
        IfMatch? condition,
        CancellationToken cancellationToken
    )
    {
        var sql = $"""
            update packages set size = coalesce(@Size, size), weight = coalesce(@Weight, weight), tag = coalesce(@Tag, tag),
                version = @Version, made_by_request = 0
            where id = @id and {AllowedBy(condition)}
            """;
        var values = new
        {
            id,
            Size = patch.Size?.ToString(),
            patch.Weight,
            patch.Tag,
            Version = NewVersion(),
        };
        // Again when the package is stored between the statements, as if this request had come later.
        while (true)
        {
            var isChanged = await database.ExecuteAsync(sql, With(condition, values), cancellationToken) == 1;
            var stored = await FindAsync(id, cancellationToken);
            if (stored is null)
                return new PackageResult.Unknown();
            if (isChanged)
                return new PackageResult.Present(stored);
            if (condition is not null)
                return new PackageResult.Stale();
        }
    }

    public async Task<PackageResult> DeleteAsync(string id, IfMatch? condition, CancellationToken cancellationToken)
    {
        var sql = $"delete from packages where id = @id and {AllowedBy(condition)}";
        if (await database.ExecuteAsync(sql, With(condition, new { id }), cancellationToken) == 1)
            return new PackageResult.Deleted();
        return condition is not null && await FindAsync(id, cancellationToken) is not null
            ? new PackageResult.Stale()
            : new PackageResult.Unknown();
    }

    /// <returns>At most <paramref name="most"/>, in the order of their ids, the first behind <paramref name="after"/>.</returns>
    public async Task<IReadOnlyList<PackageDetails>> ListAsync(
        string ownerId,
        string after,
        int most,
        CancellationToken cancellationToken
    )
    {
        var sql = $"{Select} where owner_id = @ownerId and id > @after order by id limit @most";
        var rows = await database.QueryAsync<Row>(
            sql,
            new
            {
                ownerId,
                after,
                most,
            },
            cancellationToken
        );
        return [.. rows.Select(row => row.ToPackage().Details)];
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

    /// <param name="neededBy">The delivery request that needs it; null: its owner stores it.</param>
    /// <returns>Null: the id is there already, or the request has failed.</returns>
    public async Task<StoredPackage?> TryInsertAsync(
        string id,
        PackageUpsert package,
        PackageRequest? neededBy,
        CancellationToken cancellationToken
    )
    {
        var row = Row.Of(id, package, neededBy);
        var origin = new
        {
            Request = Fingerprint.Of(package),
            MadeByRequest = neededBy is null ? 0 : 1,
            Key = neededBy?.Key ?? "",
            Attempt = neededBy?.Attempt ?? 0,
        };
        var isNew =
            await database.ExecuteAsync(
                """
                insert into packages (id, owner_id, size, weight, tag, version, request, requests, made_by_request)
                select @Id, @OwnerId, @Size, @Weight, @Tag, @Version, @Request, @Requests, @MadeByRequest
                where not exists (select 1 from failed_package_requests where request = @Key and attempt >= @Attempt)
                on conflict (id) do nothing
                """,
                With(condition: null, row, origin),
                cancellationToken
            ) == 1;
        return isNew ? row.ToPackage() : null;
    }

    /// <summary>Somebody has asked for exactly this package, so it does not go with the delivery request that made it.</summary>
    /// <returns>Null: it was changed since, or went with that request.</returns>
    private async Task<PackageResult?> TryClaimAsync(
        string id,
        StoredPackage stored,
        CancellationToken cancellationToken
    ) =>
        await database.ExecuteAsync(
            "update packages set made_by_request = 0 where id = @id and version = @Version",
            new { id, stored.Version },
            cancellationToken
        ) == 1
            ? new PackageResult.Present(stored)
            : null;

    /// <returns>
    /// Null: it has another owner, or the same request stored it, or it is not the one that the client knows, or it is gone.
    /// </returns>
    private async Task<StoredPackage?> TryReplaceAsync(
        string id,
        PackageUpsert package,
        IfMatch? condition,
        CancellationToken cancellationToken
    )
    {
        var row = Row.Of(id, package);
        // Who names the version that is there has seen what was changed since the same request, so it is no late replay.
        var isNoReplay = condition is { IsAny: false } ? "true" : "request <> @request";
        var isReplaced =
            await database.ExecuteAsync(
                $"""
                update packages set size = @Size, weight = @Weight, tag = @Tag, version = @Version, request = @request,
                    made_by_request = 0
                where id = @Id and owner_id = @OwnerId and {isNoReplay} and {AllowedBy(condition)}
                """,
                With(condition, row, new { request = Fingerprint.Of(package) }),
                cancellationToken
            ) == 1;
        return isReplaced ? row.ToPackage() : null;
    }

    private static string AllowedBy(IfMatch? condition) =>
        condition switch
        {
            null or { IsAny: true } => "true",
            { Versions: [] } => "false",
            { Versions: var versions } =>
                $"version in ({string.Join(", ", versions.Select((_, number) => $"@version{number}"))})",
        };

    private static DynamicParameters With(IfMatch? condition, params object[] values)
    {
        var parameters = new DynamicParameters();
        foreach (var value in values)
            parameters.AddDynamicParams(value);
        foreach (var (number, version) in (condition?.Versions ?? []).Index())
            parameters.Add($"version{number}", version);
        return parameters;
    }

    // Not a number that counts: a package that is deleted and stored again would have the versions of the one before.
    private static string NewVersion() => Guid.NewGuid().ToString("N");

    private sealed record Row(
        string Id,
        string OwnerId,
        string Size,
        double Weight,
        string? Tag,
        string Version,
        string Requests
    )
    {
        public static Row Of(string id, PackageUpsert package, PackageRequest? neededBy = null) =>
            new(
                id,
                package.OwnerId,
                package.Size.ToString(),
                package.Weight,
                package.Tag,
                NewVersion(),
                RequestedPackages.TextOf(neededBy)
            );

        public StoredPackage ToPackage() =>
            new(
                new()
                {
                    Id = Id,
                    OwnerId = OwnerId,
                    Size = Enum.Parse<PackageSize>(Size),
                    Weight = Weight,
                    Tag = Tag,
                },
                Version,
                Requests
            );
    }
}
