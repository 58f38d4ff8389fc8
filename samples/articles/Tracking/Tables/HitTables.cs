using Azure;
using Azure.Data.Tables;
using Azure.Identity;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Tracking.Tables;

/// <summary>
/// The tables of a storage account, or of Azurite. A table that a hit does not find is created: it is the first hit, or somebody has
/// deleted the table. Every method fails with <see cref="DependencyUnavailableException"/> where it may work later.
/// </summary>
internal sealed class HitTables(IOptions<TrackingOptions> options, ILogger<HitTables> logger)
{
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(1);

    private readonly TableServiceClient _client = Open(options.Value);
    private readonly Outage _outage = new("Table server", logger);

    public static TableServiceClient Open(TrackingOptions options)
    {
        // Who writes decides what is tried again.
        var client = new TableClientOptions { Retry = { MaxRetries = 0, NetworkTimeout = options.OperationTimeout } };
        return options.Endpoint is { } endpoint
            ? new TableServiceClient(endpoint, new DefaultAzureCredential(), client)
            : new TableServiceClient(options.ConnectionString, client);
    }

    /// <summary>Whether the server answers.</summary>
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

    /// <summary>All of them or none. A hit that is there already is written again.</summary>
    /// <param name="hits">1 to 100 of one table and one partition, each once.</param>
    /// <exception cref="RequestFailedException">The server will never take them.</exception>
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
                // Names differ in case only for Azurite, which fails when it creates one table in two spellings at once.
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
                "The table server does not take the hit for now.",
                RetryAfter,
                exception,
                cause
            );
        }
    }

    /// <summary>Short: the client's words have an id of each request, and would be another cause every time.</summary>
    public static string CauseOf(Exception exception) =>
        exception is RequestFailedException { Status: > 0 } answer
            ? $"Status {answer.Status}, {answer.ErrorCode}"
            : $"No answer: {exception.Message}";

    // Keys that are wrong, too: the operator mends them.
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
