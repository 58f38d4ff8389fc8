using System.Data.Common;
using System.Text.Json;
using Dapper;
using DroneDelivery.Contracts;
using DroneDelivery.Database;

namespace DroneDelivery.Package;

/// <summary>
/// What delivery requests make of packages, and take back. A package knows the requests that rely on it. If a request made it, and its
/// owner has left it so, it goes with the last of them. Requests for one package run one at a time.
/// </summary>
internal sealed class RequestedPackages(SqlDatabase database, TimeProvider time)
{
    /// <summary>Deletes old tombstones. The time is checked twice, so one that is renewed in between stays (PostgreSQL).</summary>
    public const string Purge = """
        delete from failed_package_requests where failed_at < @before and request in (
            select request from failed_package_requests where failed_at < @before limit @most)
        """;

    /// <summary>A package that so many requests rely on stays for good, so its row does not grow any more.</summary>
    private const int MostRequests = 100;

    /// <summary>Stores the package if it does not exist. One that exists stays as its owner left it.</summary>
    public Task<PackageResult> AddAsync(
        string id,
        PackageUpsert package,
        PackageRequest request,
        CancellationToken cancellationToken
    ) =>
        database.TransactionAsync(
            id,
            connection => AddAsync(connection, StoredPackage.Of(id, package), request),
            cancellationToken
        );

    /// <summary>Takes back what this request, or an older attempt of it, has made. If it comes late, it makes nothing any more.</summary>
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
        // Again if its owner deletes it in between.
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
        var hasRoom = isKnown || requests.Count < MostRequests;
        requests[request.Key] = request.Attempt;
        await SaveAsync(
            connection,
            hasRoom ? stored with { Requests = TextOf(requests) } : stored with { MadeByRequest = 0 }
        );
        return new PackageResult.Present(stored);
    }

    /// <returns>The number of changed packages.</returns>
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

    /// <summary>Locks the package until the transaction ends: its owner may change it at the same time.</summary>
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
