using Azure;
using Azure.Data.Tables;
using Azure.Identity;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Tracking.Tables;

/// <summary>Table Storage, opened with a connection string or with the identity of the process.</summary>
internal sealed class StorageTables : ITableServer
{
    private readonly TableServiceClient _client;
    private readonly TimeSpan _timeout;
    private readonly TimeProvider _time;

    public StorageTables(IOptions<TrackingOptions> options, TimeProvider time)
    {
        _timeout = options.Value.OperationTimeout;
        _time = time;
        // Who writes decides what is tried again.
        var clientOptions = new TableClientOptions { Retry = { MaxRetries = 0 } };
        _client = options.Value.Endpoint is { } endpoint
            ? new TableServiceClient(endpoint, new DefaultAzureCredential(), clientOptions)
            : new TableServiceClient(options.Value.ConnectionString, clientOptions);
    }

    public static bool CanParse(string connectionString)
    {
        try
        {
            _ = new TableServiceClient(connectionString);
            return true;
        }
        catch (Exception exception) when (exception is ArgumentException or FormatException or InvalidOperationException)
        {
            return false;
        }
    }

    public Task AskAsync(CancellationToken cancellationToken) =>
        RunAsync(
            async token =>
            {
                await using var pages = _client.QueryAsync(maxPerPage: 1, cancellationToken: token).AsPages().GetAsyncEnumerator(token);
                await pages.MoveNextAsync();
            },
            cancellationToken);

    public Task CreateTableAsync(string table, CancellationToken cancellationToken) =>
        RunAsync(token => _client.CreateTableIfNotExistsAsync(table, token), cancellationToken);

    public Task InsertAsync(Hit hit, CancellationToken cancellationToken) =>
        RunAsync(token => TableOf(hit).AddEntityAsync(EntityOf(hit), token), cancellationToken);

    public Task StoreAsync(IReadOnlyList<Hit> hits, CancellationToken cancellationToken)
    {
        if (hits is [var only])
            return RunAsync(token => TableOf(only).UpsertEntityAsync(EntityOf(only), TableUpdateMode.Replace, token), cancellationToken);
        var actions = hits.Select(hit => new TableTransactionAction(TableTransactionActionType.UpsertReplace, EntityOf(hit)));
        return RunAsync(token => TableOf(hits[0]).SubmitTransactionAsync(actions, token), cancellationToken);
    }

    private TableClient TableOf(Hit hit) => _client.GetTableClient(hit.Table);

    private static TableEntity EntityOf(Hit hit) => new(hit.PartitionKey, hit.RowKey) { [nameof(Hit.Tracker)] = hit.Tracker };

    private async Task RunAsync(Func<CancellationToken, Task> request, CancellationToken cancellationToken)
    {
        using var timeout = new CancellationTokenSource(_timeout, _time);
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token);
        try
        {
            await request(patience.Token);
        }
        catch (RequestFailedException exception)
        {
            throw TableServerException.Of(exception.Status, exception.ErrorCode, exception);
        }
        catch (OperationCanceledException exception) when (!cancellationToken.IsCancellationRequested)
        {
            throw TableServerException.Of(0, null, exception);
        }
        catch (Exception exception) when (
            exception is HttpRequestException or IOException or TimeoutException or AuthenticationFailedException)
        {
            throw TableServerException.Of(0, null, exception);
        }
    }
}
