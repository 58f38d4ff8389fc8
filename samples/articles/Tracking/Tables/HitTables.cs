using Azure;
using Azure.Data.Tables;
using Azure.Identity;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Tracking.Tables;

/// <summary>
/// The tables of a storage account or of Azurite, which are created on demand. Transient failures throw <see
/// cref="DependencyUnavailableException"/>.
/// </summary>
internal sealed class HitTables(IOptions<TrackingOptions> options, ILogger<HitTables> logger)
{
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    private readonly TableServiceClient _client = Open(options.Value);
    private readonly OutageLog _outage = new("Table server", logger);

    public static TableServiceClient Open(TrackingOptions options)
    {
        // The writers retry.
        var client = new TableClientOptions { Retry = { MaxRetries = 0, NetworkTimeout = options.OperationTimeout } };
        return options.Endpoint is { } endpoint
            ? new TableServiceClient(endpoint, new DefaultAzureCredential(), client)
            : new TableServiceClient(options.ConnectionString, client);
    }

    /// <summary>Checks the connection.</summary>
    public Task AskAsync(CancellationToken cancellationToken) =>
        RunAsync(
            async () =>
            {
                await using var pages = _client
                    .QueryAsync(maxPerPage: 1, cancellationToken: cancellationToken)
                    .AsPages()
                    .GetAsyncEnumerator(cancellationToken);
                await pages.MoveNextAsync();
            },
            cancellationToken
        );

    public Task InsertAsync(Hit hit, CancellationToken cancellationToken) =>
        WriteAsync(hit.Table, table => table.AddEntityAsync(EntityOf(hit), cancellationToken), cancellationToken);

    /// <summary>Stores hits atomically. Storing a hit again has no effect.</summary>
    /// <param name="hits">1 to 100 distinct hits of one table and partition.</param>
    /// <exception cref="RequestFailedException">The server permanently rejects the hits.</exception>
    public Task StoreAsync(IReadOnlyList<Hit> hits, CancellationToken cancellationToken)
    {
        var actions = hits.Select(hit => new TableTransactionAction(
                TableTransactionActionType.UpsertReplace,
                EntityOf(hit)
            ))
            .ToList();
        return WriteAsync(hits[0].Table, WriteAllAsync, cancellationToken);

        Task WriteAllAsync(TableClient table) =>
            actions is [var only]
                ? table.UpsertEntityAsync((TableEntity)only.Entity, TableUpdateMode.Replace, cancellationToken)
                : table.SubmitTransactionAsync(actions, cancellationToken);
    }

    private Task WriteAsync(string name, Func<TableClient, Task> write, CancellationToken cancellationToken) =>
        RunAsync(
            async () =>
            {
                // Azurite is case-sensitive, and fails when it creates two spellings of a table concurrently.
                var table = _client.GetTableClient(name.ToLowerInvariant());
                try
                {
                    await write(table);
                }
                catch (RequestFailedException exception) when (exception.Status == StatusCodes.Status404NotFound)
                {
                    await table.CreateIfNotExistsAsync(cancellationToken);
                    await write(table);
                }
            },
            cancellationToken
        );

    private async Task RunAsync(Func<Task> request, CancellationToken cancellationToken)
    {
        try
        {
            await request();
            _outage.Succeeded();
        }
        catch (Exception exception) when (IsTransient(exception) && !cancellationToken.IsCancellationRequested)
        {
            var cause = CauseOf(exception);
            _outage.Failed(cause);
            throw new DependencyUnavailableException(
                "urn:drone-delivery:table-unavailable",
                "The hit was not stored",
                "The table server can't store the hit at the moment.",
                RetryAfter,
                exception,
                cause
            );
        }
    }

    /// <summary>Returns a short cause. The SDK's message contains a request id, so each failure would look like a new cause.</summary>
    public static string CauseOf(Exception exception) =>
        exception is RequestFailedException { Status: > 0 } answer
            ? $"Status {answer.Status}, {answer.ErrorCode}"
            : $"No response: {exception.Message}";

    // Determines whether a failure is transient, including invalid keys, which an operator can fix.
    private static bool IsTransient(Exception exception) =>
        exception switch
        {
            RequestFailedException answer => answer.Status
                is not (
                    StatusCodes.Status400BadRequest
                    or StatusCodes.Status413PayloadTooLarge
                    or StatusCodes.Status414UriTooLong
                    or StatusCodes.Status431RequestHeaderFieldsTooLarge
                    or StatusCodes.Status501NotImplemented
                ),
            _ => exception
                is HttpRequestException
                    or IOException
                    or OperationCanceledException
                    or AuthenticationFailedException,
        };

    private static TableEntity EntityOf(Hit hit) =>
        new(hit.PartitionKey, hit.RowKey) { [nameof(Hit.Tracker)] = hit.Tracker };
}
