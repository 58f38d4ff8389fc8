using System.Text.Json;
using DroneDelivery.Contracts;
using DroneDelivery.Database;

namespace DroneDelivery.Package;

/// <summary>
/// What delivery requests make of packages, and take back. A package knows the requests that rely on it. If a request made it, and its
/// owner has left it so, it goes with the last of them.
/// </summary>
internal sealed class RequestedPackages(SqlDatabase database, PackageStore packages, TimeProvider time)
{
    /// <summary>Of requests that failed before a time. It is asked twice: one that fails anew meanwhile stays (PostgreSQL).</summary>
    public const string Purge = """
        delete from failed_package_requests where failed_at < @before and request in (
            select request from failed_package_requests where failed_at < @before limit @most)
        """;

    /// <summary>A package that so many requests rely on stays for good, so its row does not grow any more.</summary>
    private const int MostRequests = 100;

    /// <summary>
    /// Stores the package if it does not exist. One that exists stays as its owner left it. Continues when the client disconnects: otherwise,
    /// a package that is stored for a request that was undone at the same time would stay.
    /// </summary>
    public Task<PackageResult> AddAsync(
        string id,
        PackageUpsert package,
        PackageRequest request,
        CancellationToken cancellationToken
    ) =>
        database.InTurnAsync<PackageResult>(
            id,
            async () =>
            {
                var result = await TryAddAsync(id, package, request);
                // The undo may have found nothing while the statement ran, and is not repeated.
                if (database.IsSerial || !await IsFailedAsync(request))
                    return result;
                await UndoAsync(id, request, CancellationToken.None);
                return new PackageResult.Failed();
            },
            cancellationToken
        );

    private async Task<PackageResult> TryAddAsync(string id, PackageUpsert package, PackageRequest request)
    {
        // Again from the start when somebody else changed or deleted it in between.
        while (true)
        {
            if (await packages.TryInsertAsync(id, package, request, CancellationToken.None) is { } created)
                return new PackageResult.Created(created);
            if (await IsFailedAsync(request))
                return new PackageResult.Failed();
            if (await packages.FindAsync(id, CancellationToken.None) is not { Details: var details } stored)
                continue;
            if (details.OwnerId != package.OwnerId)
                return new PackageResult.OtherOwner();
            var requests = RequestsIn(stored.Requests);
            if (
                !requests.TryGetValue(request.Key, out var attempt)
                && (details.Size, details.Weight) != (package.Size, package.Weight)
            )
            {
                return new PackageResult.Differs();
            }

            if (
                requests.ContainsKey(request.Key) && attempt >= request.Attempt
                || await TryRelyAsync(id, stored, request)
            )
            {
                return new PackageResult.Present(stored);
            }
        }
    }

    /// <summary>Takes back what this request, or an older attempt of it, has made. If it comes late, it makes nothing any more.</summary>
    public async Task UndoAsync(string id, PackageRequest request, CancellationToken cancellationToken)
    {
        await database.ExecuteAsync(
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
            },
            cancellationToken
        );
        while (await packages.FindAsync(id, cancellationToken) is { Requests: var text })
        {
            var requests = RequestsIn(text);
            if (!requests.TryGetValue(request.Key, out var attempt) || attempt > request.Attempt)
                return;
            requests.Remove(request.Key);
            if (requests.Count == 0 && await TryDeleteAsync(id, text, cancellationToken))
                return;
            if (await TryReplaceAsync(id, text, requests, cancellationToken))
                return;
        }
    }

    private async Task<bool> TryRelyAsync(string id, StoredPackage old, PackageRequest request)
    {
        var requests = RequestsIn(old.Requests);
        var change =
            requests.Count < MostRequests || requests.ContainsKey(request.Key)
                ? "requests = @New"
                : "made_by_request = 0";
        requests[request.Key] = request.Attempt;
        return await database.ExecuteAsync(
                $"""
                update packages set {change} where id = @id and version = @Version and requests = @Requests
                    and not exists (select 1 from failed_package_requests where request = @Key and attempt >= @Attempt)
                """,
                new
                {
                    id,
                    old.Version,
                    old.Requests,
                    New = TextOf(requests),
                    request.Key,
                    request.Attempt,
                },
                CancellationToken.None
            ) == 1;
    }

    /// <returns>False: others rely on it by now, or nobody does, and the one that a request made has to go.</returns>
    private async Task<bool> TryReplaceAsync(
        string id,
        string old,
        Dictionary<string, int> requests,
        CancellationToken cancellationToken
    ) =>
        // Somebody may have come before the delete was tried and left after it: the text is the old one again.
        await database.ExecuteAsync(
            "update packages set requests = @New where id = @id and requests = @old and (@New <> '{}' or made_by_request = 0)",
            new
            {
                id,
                old,
                New = TextOf(requests),
            },
            cancellationToken
        ) == 1;

    /// <returns>False: it is its owner's, or somebody else relies on it by now.</returns>
    private async Task<bool> TryDeleteAsync(string id, string old, CancellationToken cancellationToken) =>
        await database.ExecuteAsync(
            "delete from packages where id = @id and requests = @old and made_by_request = 1",
            new { id, old },
            cancellationToken
        ) == 1;

    private async Task<bool> IsFailedAsync(PackageRequest request) =>
        (
            await database.QueryAsync<string>(
                "select request from failed_package_requests where request = @Key and attempt >= @Attempt",
                request,
                CancellationToken.None
            )
        ).Any();

    private static Dictionary<string, int> RequestsIn(string text) =>
        JsonSerializer.Deserialize<Dictionary<string, int>>(text)!;

    /// <summary>Of a new package.</summary>
    public static string TextOf(PackageRequest? request) =>
        TextOf(request is null ? [] : new() { [request.Key] = request.Attempt });

    private static string TextOf(Dictionary<string, int> requests) => JsonSerializer.Serialize(requests);
}
