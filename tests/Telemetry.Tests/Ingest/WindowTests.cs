using DroneDelivery.Testing;

namespace DroneDelivery.Telemetry.Tests.Ingest;

/// <summary>What a store that runs for days keeps in memory.</summary>
public sealed class WindowTests
{
    private const int Chunk = 65_535;

    private readonly ManualTimeProvider _clock = new(Items.Noon);

    [Fact]
    public void A_store_that_is_full_stays_as_large_and_drops_the_oldest()
    {
        var store = new TelemetryStore(new() { Window = new(TimeSpan.FromDays(1), Bytes: 4 << 20) }, _clock);
        var sizes = Enumerable.Range(0, 12).Select(i =>
        {
            Fill(store, Chunk, i);
            return store.Snapshot().Tables["dependencies"].SizeInBytes;
        }).ToList();

        Assert.All(sizes, size => Assert.InRange(size, 0, 6 << 20));
        Assert.InRange(store.Counts.Dropped, Chunk, 11 * Chunk);
        Assert.Equal(12L * Chunk, store.Counts.Kept);
        Assert.Equal(store.Counts.Kept - store.Counts.Dropped, Count(store, "dependencies | count"));
        Assert.Equal(0, Count(store, "dependencies | where name startswith 'call 0 ' | count"));
        Assert.Equal(Chunk, Count(store, "dependencies | where name startswith 'call 11 ' | count"));
    }

    [Fact]
    public void What_is_older_than_the_window_is_dropped()
    {
        var store = new TelemetryStore(new() { Window = new(TimeSpan.FromHours(1), Bytes: 1L << 40) }, _clock);
        Fill(store, Chunk, 0);
        _clock.Advance(TimeSpan.FromMinutes(59));
        Fill(store, 10_000, 1);
        Assert.Equal(0, store.Counts.Dropped);
        _clock.Advance(TimeSpan.FromMinutes(2));
        Fill(store, 10_000, 2);

        Assert.Equal(Chunk, store.Counts.Dropped);
        Assert.Equal(20_000, Count(store, "dependencies | count"));
    }

    [Fact]
    public void A_snapshot_keeps_what_it_had()
    {
        var store = new TelemetryStore(new() { Window = new(TimeSpan.FromHours(1), Bytes: 1L << 40) }, _clock);
        Fill(store, Chunk, 0);
        var before = store.Snapshot();
        _clock.Advance(TimeSpan.FromHours(2));
        Fill(store, 10_000, 1);

        Assert.Equal(Chunk, before.Tables["dependencies"].Rows);
        Assert.Equal(10_000, Count(store, "dependencies | count"));
    }

    private void Fill(TelemetryStore store, int rows, int which)
    {
        const int Upload = 5_000;
        for (var i = 0; i < rows; i += Upload)
        {
            var names = Enumerable.Range(i, Math.Min(Upload, rows - i)).Select(n => $"call {which} {n}");
            store.Ingest(Items.Body([.. names.Select(name => Items.Dependency(name, time: _clock.GetUtcNow()))]));
        }
    }

    private static long Count(TelemetryStore store, string query) =>
        (long)KqlQuery.Parse(query).Run(store.Snapshot(), cancellationToken: TestContext.Current.CancellationToken)[0, 0]!;
}
