using System.Data.Common;
using System.Text.Json;
using Dapper;
using DroneDelivery.Contracts;
using DroneDelivery.Database;

namespace DroneDelivery.Package;

/// <summary>
/// Creates packages for delivery requests, and compensates failed ones. A package records the requests that rely on it, and is deleted with
/// the last of them if a request created it and its owner hasn't changed it.
/// </summary>
internal sealed class RequestedPackages(SqlDatabase database, TimeProvider time)
{
    /// <summary>Deletes old tombstones. Checks the time twice, so that PostgreSQL keeps one that is renewed meanwhile.</summary>
    public const string Purge = """
        delete from failed_package_requests where failed_at < @before and request in (
            select request from failed_package_requests where failed_at < @before limit @most)
        """;

    /// <summary>Limits the size of a row: a package with more requests is never deleted by compensation.</summary>
    private const int MaxRequests = 100;

    /// <summary>Creates the package unless it exists.</summary>
    public Task<PackageResult> AddAsync(
        string id,
        PackageUpsert package,
        PackageRequest request,
        CancellationToken cancellationToken
    ) =>
        database.TransactionAsync(
            id,
            connection => AddAsync(connection, StoredPackage.Create(id, package), request),
            cancellationToken
        );

    /// <summary>Compensates this request and its earlier attempts, and rejects late ones.</summary>
    public Task UndoAsync(string id, PackageRequest request, CancellationToken cancellationToken) =>
        database.TransactionAsync(id, connection => UndoAsync(connection, id, request), cancellationToken);

    private async Task<PackageResult> AddAsync(DbConnection connection, StoredPackage wanted, PackageRequest request)
    {
        var failed = await connection.QueryAsync<string>(
            "select request from failed_package_requests where request = @Key and attempt >= @Attempt",
            request
        );
        if (failed.Any())
            return new PackageResult.Failed();
        var added = wanted with { Requests = TextOf(new() { [request.Key] = request.Attempt }), MadeByRequest = 1 };
        // Retries if the owner deletes the package meanwhile.
        while (await connection.ExecuteAsync(StoredPackage.Insert, added) == 0)
        {
            if (await FindAsync(connection, wanted.Id) is { } stored)
                return await RelyAsync(connection, stored, wanted, request);
        }
        return new PackageResult.Created(added);
    }

    private static async Task<PackageResult> RelyAsync(
        DbConnection connection,
        StoredPackage stored,
        StoredPackage wanted,
        PackageRequest request
    )
    {
        if (stored.OwnerId != wanted.OwnerId)
            return new PackageResult.OtherOwner();
        var requests = RequestsIn(stored);
        var isKnown = requests.TryGetValue(request.Key, out var attempt);
        if (!isKnown && (stored.Size, stored.Weight) != (wanted.Size, wanted.Weight))
            return new PackageResult.Differs();
        if (isKnown && attempt >= request.Attempt)
            return new PackageResult.Present(stored);
        var hasRoom = isKnown || requests.Count < MaxRequests;
        requests[request.Key] = request.Attempt;
        await SaveAsync(
            connection,
            hasRoom ? stored with { Requests = TextOf(requests) } : stored with { MadeByRequest = 0 }
        );
        return new PackageResult.Present(stored);
    }

    private async Task<int> UndoAsync(DbConnection connection, string id, PackageRequest request)
    {
        await connection.ExecuteAsync(
            """
            insert into failed_package_requests (request, attempt, failed_at) values (@Key, @Attempt, @now)
            on conflict (request) do update set attempt = excluded.attempt, failed_at = excluded.failed_at
            where failed_package_requests.attempt < excluded.attempt
            """,
            new
            {
                request.Key,
                request.Attempt,
                now = time.GetUtcNow().ToUnixTimeMilliseconds(),
            }
        );
        if (await FindAsync(connection, id) is not { } stored)
            return 0;
        var requests = RequestsIn(stored);
        if (!requests.TryGetValue(request.Key, out var attempt) || attempt > request.Attempt)
            return 0;
        requests.Remove(request.Key);
        return requests.Count == 0 && stored.MadeByRequest == 1
            ? await connection.ExecuteAsync("delete from packages where id = @id", new { id })
            : await SaveAsync(connection, stored with { Requests = TextOf(requests) });
    }

    /// <summary>Locks the row until the transaction ends.</summary>
    private Task<StoredPackage?> FindAsync(DbConnection connection, string id) =>
        connection.QuerySingleOrDefaultAsync<StoredPackage>(
            $"{StoredPackage.Select} where id = @id {(database.IsSerial ? "" : "for update")}",
            new { id }
        );

    private static Task<int> SaveAsync(DbConnection connection, StoredPackage package) =>
        connection.ExecuteAsync(
            "update packages set requests = @Requests, made_by_request = @MadeByRequest where id = @Id",
            package
        );

    private static Dictionary<string, int> RequestsIn(StoredPackage package) =>
        JsonSerializer.Deserialize<Dictionary<string, int>>(package.Requests)!;

    private static string TextOf(Dictionary<string, int> requests) => JsonSerializer.Serialize(requests);
}
