namespace DroneDelivery.Tracking.Tables;

/// <summary>What this service wants of Table Storage. Every method ends within <c>Tracking:OperationTimeout</c>, and fails with
/// <see cref="TableServerException"/>.</summary>
internal interface ITableServer
{
    /// <summary>Whether it answers.</summary>
    Task AskAsync(CancellationToken cancellationToken);

    /// <summary>A table that exists is as good as a new one.</summary>
    Task CreateTableAsync(string table, CancellationToken cancellationToken);

    Task InsertAsync(Hit hit, CancellationToken cancellationToken);

    /// <summary>All of them or none. A hit that is there already is written again.</summary>
    /// <param name="hits">1 to 100 of one table and one partition, each once.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    Task StoreAsync(IReadOnlyList<Hit> hits, CancellationToken cancellationToken);
}
