using DroneDelivery.Testing;

namespace DroneDelivery.Telemetry.Tests.Ingest;

public sealed class SegmentTests : IDisposable
{
    private static readonly TableSchema Queue = TableSchema.Parse(
        "queue",
        "timestamp:datetime, name:string, active:long, rate:real, full:bool, lag:timespan"
    );

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    public static TheoryData<string> Files => ["telemetry.ndjson", "telemetry.ndjson.gz"];

    private readonly ManualTimeProvider _clock = new();
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("telemetry");

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory, MemberData(nameof(Files))]
    public async Task Loaded_run_equals_the_written_one(string name)
    {
        var file = FileOf(name);
        TelemetrySnapshot written;
        await using (var store = new TelemetryStore(new() { File = file }))
        {
            var queue = store.Define(Queue);
            store.Ingest(Items.Body(Items.Dependency("é\"1"), "broken", "{\n" + Items.Dependency("2")[1..]));
            queue.Append(Items.Noon, "delivery-requests", 12, 2.5, true, TimeSpan.FromSeconds(90));
            queue.Append(Items.Noon.AddSeconds(1), null, null, 3, null, null);
            store.Ingest(Items.Body(Items.Dependency("3")));
            written = store.Snapshot();
        }
        if (!name.EndsWith(".gz", StringComparison.Ordinal))
        {
            Assert.All(await File.ReadAllLinesAsync(file, Cancel), line =>
                JsonSerializer.Deserialize<JsonElement>(line)
            ); // Readable by any tool.
        }

        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);

        Assert.Equal((3L, 2L, 0L), (loaded.Counts.Kept, loaded.Counts.Samples, loaded.Counts.CutOff));
        Assert.Empty(loaded.Counts.Refused);
        Assert.Equal(["é\"1", "2", "3"], Names(loaded));
        foreach (var table in written.Tables.Keys)
        {
            Assert.Equal(
                JsonSerializer.Serialize(Rows.Of(written, table)),
                JsonSerializer.Serialize(Rows.Of(loaded.Snapshot(), table))
            );
        }
    }

    [Theory, MemberData(nameof(Files))]
    public async Task Unfinished_line_of_a_killed_process_is_skipped_and_counted(string name)
    {
        var file = FileOf(name);
        await WriteAsync(file, "1", "2");
        await WriteAsync(file, "3");
        await using (var cut = new FileStream(file, FileMode.Open))
            cut.SetLength(cut.Length - 20);
        await using (var unfinished = await TelemetryStore.LoadAsync(file, Cancel))
        {
            Assert.Equal(1, unfinished.Counts.CutOff);
            Assert.Equal(["1", "2"], Names(unfinished));
        }
        await using (var again = new TelemetryStore(new() { File = file }))
        {
            again.Ingest(Items.Body(Items.Dependency("4")));
            Assert.Equal(1, again.Counts.CutOff);
        }
        await WriteAsync(file, "5");

        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);

        Assert.Equal(0, loaded.Counts.CutOff);
        Assert.Empty(loaded.Counts.Refused);
        Assert.Equal(["1", "2", "4", "5"], Names(loaded));
    }

    [Fact]
    public async Task Truncated_gzip_member_keeps_its_lines()
    {
        var file = FileOf("telemetry.ndjson.gz");
        await WriteAsync(file, "1");
        await using (var cut = new FileStream(file, FileMode.Open))
            cut.SetLength(cut.Length - 4);
        await WriteAsync(file, "2");

        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);

        Assert.Equal(["1", "2"], Names(loaded));
    }

    [Theory, MemberData(nameof(Files))]
    public async Task Complete_file_is_unchanged_when_it_is_opened_again(string name)
    {
        var file = FileOf(name);
        await WriteAsync(file, "1", "2");
        await WriteAsync(file, "3");
        var before = await File.ReadAllBytesAsync(file, Cancel);

        await using (var again = new TelemetryStore(new() { File = file }))
            Assert.Equal(0, again.Counts.CutOff);

        Assert.Equal(before, await File.ReadAllBytesAsync(file, Cancel));
    }

    [Theory, MemberData(nameof(Files))]
    public async Task Waiting_lines_are_written_when_a_full_disk_has_space_again(string name)
    {
        var file = FileOf(name);
        var (disk, said) = (new Disk(), new List<string>());
        await using (var writer = new SegmentWriter(file, Interval, _clock, said.Add, disk.Of))
        {
            writer.Append(Line("1"));
            await AfterFlushAsync(() => new FileInfo(file).Length > 0);
            disk.IsFull = true;
            writer.Append(Line("2"));
            await AfterFlushAsync(() => writer.Failure is not null);
            writer.Append(Line("3"));
            Assert.Equal(2, writer.Unsaved);

            disk.IsFull = false;
            await AfterFlushAsync(() => writer.Failure is null);
            Assert.Equal(0, writer.Unsaved);
            writer.Append(Line("4"));
        }

        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);
        Assert.Equal(["1", "2", "3", "4"], Names(loaded));
        Assert.Equal((4L, 0L, 0L), (loaded.Counts.Kept, loaded.Counts.CutOff, loaded.Counts.Unsaved));
        Assert.Equal(2, said.Count);
        Assert.StartsWith($"{file} cannot be written: No space left", said[0], StringComparison.Ordinal);
        Assert.Equal($"{file} is written again; nothing is missing.", said[1]);
    }

    [Fact]
    public async Task Lines_that_exceed_the_memory_limit_are_recorded_as_a_gap()
    {
        var file = FileOf("telemetry.ndjson.gz");
        var (disk, said) = (new Disk { IsFull = true }, new List<string>());
        var large = Line(new string('x', 64 << 10));
        long unsaved;
        await using (var writer = new SegmentWriter(file, Interval, _clock, said.Add, disk.Of))
        {
            writer.Append(Line("first"));
            await AfterFlushAsync(() => writer.Failure is not null);
            for (var i = 0; i < 2 * SegmentWriter.MaxWaitingBytes / large.Length; i++)
                writer.Append(large);
            var waited = 1 + 2 * SegmentWriter.MaxWaitingBytes / large.Length;
            Assert.Equal(waited, writer.Unsaved);

            disk.IsFull = false;
            await AfterFlushAsync(() => writer.Failure is null);
            unsaved = writer.Unsaved;
            // Half of them fit.
            Assert.InRange(unsaved, waited * 2 / 5, waited * 3 / 5);
            writer.Append(Line("last"));
        }

        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);
        Assert.Equal((unsaved, 0L), (loaded.Counts.Unsaved, loaded.Counts.CutOff));
        Assert.Equal(("first", "last"), (Names(loaded).First(), Names(loaded).Last()));
        var gap = Assert.Single(Rows.Of(loaded.Snapshot(), "gaps"));
        Assert.Equal(unsaved, gap["lines"]);
        Assert.True((DateTime)gap["timestamp"]! <= (DateTime)gap["end"]!);
        Assert.Contains($"{unsaved} items are missing from", said[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Gaps_of_one_file_are_added_up()
    {
        var file = FileOf("telemetry.ndjson");
        var gaps = new[] { 3, 4 }.Select(lines =>
            $$$"""{"table":"gaps","row":{"timestamp":"2030-01-01T00:00:00Z","end":"2030-01-01T00:01:00Z","lines":{{{lines}}}}}"""
        );
        await File.WriteAllLinesAsync(file, gaps, Cancel);

        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);

        Assert.Equal(7, loaded.Counts.Unsaved);
        Assert.Contains("lacks 7 items", loaded.Counts.FileGap, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Gap_that_the_disk_rejects_is_written_later()
    {
        var file = FileOf("telemetry.ndjson.gz");
        var (disk, large) = (new Disk { IsFull = true }, Line(new string('x', 64 << 10)));
        long unsaved;
        await using (var writer = new SegmentWriter(file, Interval, _clock, output: disk.Of))
        {
            writer.Append(large);
            await AfterFlushAsync(() => writer.Failure is not null);
            for (var i = 0; i < 1 + SegmentWriter.MaxWaitingBytes / large.Length; i++)
                writer.Append(large);
            disk.FillAfterOne();
            // The waiting lines have just been written, but the record of the missing ones has not.
            await AfterFlushAsync(() => disk.IsFull);

            disk.IsFull = false;
            await AfterFlushAsync(() => writer.Failure is null);
            unsaved = writer.Unsaved;
        }

        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);
        Assert.InRange(unsaved, 1, 3);
        Assert.Equal((unsaved, 0L), (loaded.Counts.Unsaved, loaded.Counts.CutOff));
    }

    [Fact]
    public async Task Lines_that_a_full_disk_rejects_until_the_end_are_counted()
    {
        var file = FileOf("telemetry.ndjson.gz");
        var disk = new Disk();
        var writer = new SegmentWriter(file, Interval, _clock, output: disk.Of);
        writer.Append(Line("1"));
        await AfterFlushAsync(() => new FileInfo(file).Length > 0);
        disk.IsFull = true;
        writer.Append(Line("2"));
        await writer.DisposeAsync();

        Assert.Equal(1, writer.Unsaved);
        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);
        Assert.Equal((1L, 0L), (loaded.Counts.Kept, loaded.Counts.CutOff));
    }

    [Fact]
    public async Task Failed_rotation_is_repeated()
    {
        var file = FileOf("telemetry.ndjson");
        var window = new TelemetryWindow(TimeSpan.FromDays(1), Bytes: 100);
        string[] parts = ["earlier.telemetry.ndjson", "telemetry.ndjson"];
        // A folder with the name of the earlier file.
        var obstacle = Directory.CreateDirectory(FileOf("earlier.telemetry.ndjson"));
        await using (var writer = new SegmentWriter(file, Interval, _clock, window: window))
        {
            writer.Append(Line("1"));
            await AfterFlushAsync(() => new FileInfo(file).Length > 0);
            writer.Append(Line("2"));
            await AfterFlushAsync(() => writer.Failure is not null);
            for (var i = 0; i < 3; i++)
                await writer.CopyToAsync(Stream.Null, Cancel); // Flushes.
            Assert.Equal(parts, Parts());

            obstacle.Delete();
            await AfterFlushAsync(() => writer.Failure is null);
            Assert.Equal(0, writer.Unsaved);
        }

        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);
        Assert.Equal(["1", "2"], Names(loaded));
        Assert.Equal(parts, Parts());

        IEnumerable<string> Parts() =>
            _folder.GetFileSystemInfos().Select(each => each.Name).Order(StringComparer.Ordinal);
    }

    private static byte[] Line(string name) => System.Text.Encoding.UTF8.GetBytes(Items.Dependency(name));

    /// <summary>Lets the interval between two flushes pass. The next flush runs on another thread.</summary>
    private async Task AfterFlushAsync(Func<bool> condition)
    {
        _clock.Advance(Interval);
        await Eventually.TrueAsync(condition);
    }

    /// <summary>A full disk that accepts half of a write.</summary>
    private sealed class Disk
    {
        public volatile bool IsFull;
        private volatile bool _fillsUp;

        public Stream Of(FileStream file)
        {
            var isFull = IsFull;
            if (_fillsUp && !isFull)
                (IsFull, _fillsUp) = (true, false);
            return new Output(isFull, file);
        }

        public void FillAfterOne() => (_fillsUp, IsFull) = (true, false);

        private sealed class Output(bool isFull, FileStream file) : MemoryStream
        {
            public override void Write(ReadOnlySpan<byte> buffer)
            {
                file.Write(isFull ? buffer[..(buffer.Length / 2)] : buffer);
                if (isFull)
                    throw new IOException("No space left on device");
            }

            public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));
        }
    }

    [Fact]
    public async Task Edited_sample_that_is_invalid_is_skipped_alone()
    {
        var file = FileOf("telemetry.ndjson");
        await using (var store = new TelemetryStore(new() { File = file }))
        {
            var queue = store.Define(Queue);
            for (var i = 1; i <= 4; i++)
                queue.Append(Items.Noon, $"q{i}", i, 2.5, true, null);
        }
        var text = await File.ReadAllTextAsync(file, Cancel);
        text = text.Replace("\"active\":2,", "\"active\":\"two\",", StringComparison.Ordinal)
            .Replace("\"active\":3,", "\"active\":3,\"active\":30,", StringComparison.Ordinal);
        await File.WriteAllTextAsync(file, text, Cancel);

        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);

        Assert.Equal((3L, 1L), (loaded.Counts.Samples, loaded.Counts.Refused[RefusalReason.Malformed]));
        Assert.Equal(
            ["q1 1", "q3 30", "q4 4"],
            Rows.Of(loaded.Snapshot(), "queue").Select(row => $"{row["name"]} {row["active"]}")
        );
    }

    private string FileOf(string name) => Path.Combine(_folder.FullName, name);

    private static IEnumerable<object?> Names(TelemetryStore store) =>
        Rows.Of(store.Snapshot(), "dependencies").Select(row => row["name"]);

    private static async Task WriteAsync(string file, params string[] names)
    {
        await using var store = new TelemetryStore(new() { File = file });
        store.Ingest(Items.Body([.. names.Select(name => Items.Dependency(name))]));
    }
}
