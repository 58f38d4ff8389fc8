using DroneDelivery.Tracking;
using DroneDelivery.Tracking.Tables;
using DroneDelivery.Tracking.Writing;
using Microsoft.Extensions.Logging.Abstractions;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>Takes what the test says, and keeps what it took.</summary>
internal sealed class FakeTableServer : ITableServer
{
    private readonly Lock _lock = new();
    private readonly List<Hit> _stored = [];

    /// <summary>Null: the request is taken. Sees the number of the request, from 1, and its hits.</summary>
    public Func<int, IReadOnlyList<Hit>, TableFailure?> Verdict { get; init; } = (_, _) => null;

    public int Requests { get; private set; }

    public int TablesCreated { get; private set; }

    public IReadOnlyList<Hit> Stored
    {
        get
        {
            lock (_lock)
                return [.. _stored];
        }
    }

    /// <summary>On this server, with a clock that waits for nobody.</summary>
    public StoreBatch CreateStore(TimeProvider time) =>
        new(this, new CreatedTables(this), new TableOutage(NullLogger<TableOutage>.Instance), time);

    public Task AskAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task CreateTableAsync(string table, CancellationToken cancellationToken)
    {
        lock (_lock)
            TablesCreated++;
        return Task.CompletedTask;
    }

    public Task InsertAsync(Hit hit, CancellationToken cancellationToken) => StoreAsync([hit], cancellationToken);

    public Task StoreAsync(IReadOnlyList<Hit> hits, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            if (Verdict(++Requests, hits) is { } failure)
                return Task.FromException(new TableServerException(failure, "says the test", new IOException()));
            _stored.AddRange(hits);
            return Task.CompletedTask;
        }
    }
}
