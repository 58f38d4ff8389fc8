using Microsoft.Azure.Cosmos.Table;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Tracking.Tables;

/// <summary>Table Storage by the client that every feed serves. The other build compiles <c>AzureSdk/StorageTables.cs</c>
/// instead.</summary>
internal sealed class StorageTables : ITableServer
{
    private readonly CloudTableClient _client;
    private readonly TimeSpan _timeout;
    private readonly TimeProvider _time;

    public StorageTables(IOptions<TrackingOptions> options, TimeProvider time)
    {
        _timeout = options.Value.OperationTimeout;
        _time = time;
        _client = CloudStorageAccount.Parse(options.Value.ConnectionString).CreateCloudTableClient();
        // Who writes decides what is tried again.
        _client.DefaultRequestOptions.RetryPolicy = new NoRetry();
    }

    public static bool CanParse(string connectionString) => CloudStorageAccount.TryParse(connectionString, out _);

    public Task AskAsync(CancellationToken cancellationToken) =>
        RunAsync(token => _client.ListTablesSegmentedAsync("", 1, null, null, null, token), cancellationToken);

    public Task CreateTableAsync(string table, CancellationToken cancellationToken) =>
        RunAsync(token => _client.GetTableReference(table).CreateIfNotExistsAsync(token), cancellationToken);

    public Task InsertAsync(Hit hit, CancellationToken cancellationToken) =>
        RunAsync(token => TableOf(hit).ExecuteAsync(TableOperation.Insert(EntityOf(hit)), token), cancellationToken);

    public Task StoreAsync(IReadOnlyList<Hit> hits, CancellationToken cancellationToken)
    {
        if (hits is [var only])
            return RunAsync(token => TableOf(only).ExecuteAsync(TableOperation.InsertOrReplace(EntityOf(only)), token), cancellationToken);
        var batch = new TableBatchOperation();
        foreach (var hit in hits)
            batch.InsertOrReplace(EntityOf(hit));
        return RunAsync(token => TableOf(hits[0]).ExecuteBatchAsync(batch, token), cancellationToken);
    }

    private CloudTable TableOf(Hit hit) => _client.GetTableReference(hit.Table);

    private static DynamicTableEntity EntityOf(Hit hit) => new(hit.PartitionKey, hit.RowKey)
    {
        Properties = { [nameof(Hit.Tracker)] = EntityProperty.GeneratePropertyForString(hit.Tracker) },
    };

    private async Task RunAsync(Func<CancellationToken, Task> request, CancellationToken cancellationToken)
    {
        using var timeout = new CancellationTokenSource(_timeout, _time);
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, timeout.Token);
        try
        {
            await request(patience.Token);
        }
        catch (StorageException exception)
        {
            var answer = exception.RequestInformation;
            throw TableServerException.Of(answer?.HttpStatusCode ?? 0, answer?.ExtendedErrorInformation?.ErrorCode, exception);
        }
        catch (OperationCanceledException exception) when (!cancellationToken.IsCancellationRequested)
        {
            throw TableServerException.Of(0, null, exception);
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException or TimeoutException)
        {
            throw TableServerException.Of(0, null, exception);
        }
    }
}
