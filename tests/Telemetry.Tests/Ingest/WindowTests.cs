using DroneDelivery.Testing;

namespace DroneDelivery.Telemetry.Tests.Ingest;

public sealed class WindowTests : IDisposable
{
    private const int Chunk = 65_536;

    private readonly ManualTimeProvider _clock = new(Items.Noon);
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("telemetry");
    private readonly string _file;

    public WindowTests() => _file = Path.Combine(_folder.FullName, "telemetry.ndjson.gz");

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void Full_store_drops_the_oldest_rows_and_stops_growing()
    {
        var store = new TelemetryStore(new() { Window = new(TimeSpan.FromDays(1), Bytes: 4 << 20) }, _clock);
        var sizes = Enumerable
            .Range(0, 8)
            .Select(i =>
            {
                Fill(store, Chunk, i);
                return store.Snapshot().Tables["dependencies"].SizeInBytes;
            })
            .ToList();

        Assert.All(sizes, size => Assert.InRange(size, 0, 6 << 20));
        Assert.InRange(store.Counts.Dropped, Chunk, 7 * Chunk);
        Assert.Equal(8L * Chunk, store.Counts.Kept);
        Assert.Equal(store.Counts.Kept - store.Counts.Dropped, Count(store, "dependencies | count"));
        Assert.Equal(0, Count(store, "dependencies | where name startswith 'call 0 ' | count"));
        Assert.Equal(Chunk, Count(store, "dependencies | where name startswith 'call 7 ' | count"));
    }

    [Fact]
    public void Table_of_few_large_rows_stays_within_its_window()
    {
        const int Rows = 12_000;
        var store = new TelemetryStore(new() { Window = new(TimeSpan.FromDays(1), Bytes: 8 << 20) }, _clock);
        var padding = new string('x', 2_000);
        for (var i = 0; i < Rows; i += 100)
            store.Ingest(Items.Body([.. Enumerable.Range(i, 100).Select(n => Items.Dependency($"{n} {padding}"))]));

        Assert.InRange(Count(store, "dependencies | count"), 100, Rows / 2);
        Assert.Equal(Rows, store.Counts.Dropped + Count(store, "dependencies | count"));
        Assert.Equal(1, Count(store, $"dependencies | where name startswith '{Rows - 1} ' | count"));
    }

    [Fact]
    public void Rows_older_than_the_window_are_dropped_except_in_snapshots()
    {
        var store = new TelemetryStore(new() { Window = new(TimeSpan.FromHours(1), Bytes: 1L << 40) }, _clock);
        Fill(store, Chunk, 0);
        _clock.Advance(TimeSpan.FromMinutes(59));
        Fill(store, 10_000, 1);
        Assert.Equal(0, store.Counts.Dropped);
        var before = store.Snapshot();
        _clock.Advance(TimeSpan.FromMinutes(2));
        Fill(store, 10_000, 2);

        Assert.Equal(Chunk, store.Counts.Dropped);
        Assert.Equal(20_000, Count(store, "dependencies | count"));
        Assert.Equal(Chunk + 10_000, before.Tables["dependencies"].Rows);
    }

    [Fact]
    public async Task File_keeps_the_newest_rows_within_its_window()
    {
        var window = new TelemetryWindow(TimeSpan.FromDays(1), Bytes: 400_000);
        await using var store = new TelemetryStore(new() { File = _file, FileWindow = window }, _clock);
        var own = store.Define(TableSchema.Parse("own", "timestamp:datetime, n:long"));
        var largest = 0L;
        for (var i = 0; i < 40; i++)
        {
            Fill(store, 2_000, i);
            own.Append(_clock.GetUtcNow(), i);
            await store.CopyToAsync(Stream.Null, Cancel);
            largest = Math.Max(largest, _folder.GetFiles().Sum(file => file.Length));
        }

        Assert.InRange(largest, window.Bytes / 2, window.Bytes + 100_000);
        await using var loaded = await TelemetryStore.LoadAsync(_file, Cancel);
        Assert.Equal((await CopiedAsync(store), 0L), (loaded.Counts.Kept, loaded.Counts.CutOff));
        Assert.Empty(loaded.Counts.Refused);
        Assert.InRange(loaded.Counts.Kept, 4_000, 39 * 2_000);
        Assert.Equal(2_000, Count(loaded, "dependencies | where name startswith 'call 39 ' | count"));
        Assert.Equal(0, Count(loaded, "dependencies | where name startswith 'call 0 ' | count"));
        Assert.Equal(39, Count(loaded, "own | summarize max(n)"));
    }

    [Fact]
    public async Task File_drops_rows_twice_as_old_as_its_window()
    {
        var window = new TelemetryWindow(TimeSpan.FromHours(1), Bytes: 1L << 40);
        await using var store = new TelemetryStore(new() { File = _file, FileWindow = window }, _clock);
        for (var minutes = 0; minutes <= 150; minutes += 10)
        {
            Fill(store, 1, minutes);
            await store.CopyToAsync(Stream.Null, Cancel);
            _clock.Advance(TimeSpan.FromMinutes(10));
        }

        await using var loaded = await TelemetryStore.LoadAsync(_file, Cancel);
        Assert.Equal(9, Count(loaded, "dependencies | count"));
        Assert.Equal(2, Count(loaded, "dependencies | where name in ('call 70 0', 'call 150 0') | count"));
    }

    [Fact]
    public async Task File_of_a_run_keeps_everything()
    {
        await using (
            var store = new TelemetryStore(
                new() { File = _file, Window = new(TimeSpan.FromHours(1), Bytes: 1 << 20) },
                _clock
            )
        )
        {
            Fill(store, Chunk, 0);
            _clock.Advance(TimeSpan.FromHours(5));
            Fill(store, 6_000, 1);
            Assert.True(store.Counts.Dropped > 0);
        }

        await using var loaded = await TelemetryStore.LoadAsync(_file, Cancel);
        Assert.Equal(Chunk + 6_000, loaded.Counts.Kept);
    }

    private async Task<long> CopiedAsync(TelemetryStore store)
    {
        var copy = Path.Combine(_folder.FullName, "copy.ndjson.gz");
        await using (var file = File.Create(copy))
            await store.CopyToAsync(file, Cancel);
        await using var loaded = await TelemetryStore.LoadAsync(copy, Cancel);
        return loaded.Counts.Kept;
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
        (long)KqlQuery.Parse(query).Run(store.Snapshot(), cancellationToken: Cancel)[0, 0]!;
}
