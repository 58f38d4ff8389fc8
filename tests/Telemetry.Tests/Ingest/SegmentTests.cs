using System.Text.Json;
using DroneDelivery.Telemetry.Ingest;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Tests.Ingest;

/// <summary>The run on disk.</summary>
public sealed class SegmentTests : IDisposable
{
    private static readonly TableSchema Queue = TableSchema.Parse("queue", "timestamp:datetime, name:string, active:long, rate:real, full:bool, lag:timespan");
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("telemetry");

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Delete(recursive: true);

    [Theory]
    [InlineData("telemetry.ndjson")]
    [InlineData("telemetry.ndjson.gz")]
    public async Task A_run_that_is_loaded_again_is_the_same(string name)
    {
        var file = Path.Combine(_folder.FullName, name);
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
        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);

        Assert.Equal((3L, 2L, 0L), (loaded.Counts.Kept, loaded.Counts.Samples, loaded.Counts.CutOff));
        Assert.Empty(loaded.Counts.Refused);
        Assert.Equal(["é\"1", "2", "3"], Rows.Of(loaded.Snapshot(), "dependencies").Select(row => row["name"]));
        foreach (var table in written.Tables.Keys)
            Assert.Equal(JsonSerializer.Serialize(Rows.Of(written, table)), JsonSerializer.Serialize(Rows.Of(loaded.Snapshot(), table)));
    }

    [Fact]
    public async Task Each_line_is_json_that_any_tool_reads()
    {
        var file = Path.Combine(_folder.FullName, "telemetry.ndjson");
        await using (var store = new TelemetryStore(new() { File = file }))
        {
            store.Define(Queue).Append(Items.Noon, "q", 1, 2, false, null);
            store.Ingest(Items.Body("[{\n" + Items.Dependency()[1..] + "]"));
        }

        var lines = (await File.ReadAllLinesAsync(file, Cancel)).Select(line => JsonDocument.Parse(line).RootElement).ToList();
        Assert.Equal("datetime", lines[0].GetProperty("columns").GetProperty("timestamp").GetString());
        Assert.Equal("q", lines[1].GetProperty("row").GetProperty("name").GetString());
        Assert.Equal("RemoteDependencyData", lines[2].GetProperty("data").GetProperty("baseType").GetString());
    }

    [Theory]
    [InlineData("telemetry.ndjson")]
    [InlineData("telemetry.ndjson.gz")]
    public async Task What_a_killed_process_left_unfinished_is_counted(string name)
    {
        var file = Path.Combine(_folder.FullName, name);
        await WriteUnfinishedAsync(file);

        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);

        Assert.Equal(1, loaded.Counts.CutOff);
        Assert.Equal(["1", "2"], Rows.Of(loaded.Snapshot(), "dependencies").Select(row => row["name"]));
    }

    [Theory]
    [InlineData("telemetry.ndjson")]
    [InlineData("telemetry.ndjson.gz")]
    public async Task What_is_appended_behind_an_unfinished_end_is_read(string name)
    {
        var file = Path.Combine(_folder.FullName, name);
        await WriteUnfinishedAsync(file);
        await using (var again = new TelemetryStore(new() { File = file }))
        {
            again.Ingest(Items.Body(Items.Dependency("4")));
            Assert.Equal(1, again.Counts.CutOff);
        }
        await WriteAsync(file, "5");

        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);

        Assert.Equal(0, loaded.Counts.CutOff);
        Assert.Empty(loaded.Counts.Refused);
        Assert.Equal(["1", "2", "4", "5"], Rows.Of(loaded.Snapshot(), "dependencies").Select(row => row["name"]));
    }

    [Fact]
    public async Task A_member_that_lacks_its_last_bytes_keeps_its_lines()
    {
        var file = Path.Combine(_folder.FullName, "telemetry.ndjson.gz");
        await WriteAsync(file, "1");
        await using (var cut = new FileStream(file, FileMode.Open)) cut.SetLength(cut.Length - 4);
        await WriteAsync(file, "2");

        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);

        Assert.Equal(["1", "2"], Rows.Of(loaded.Snapshot(), "dependencies").Select(row => row["name"]));
    }

    [Theory]
    [InlineData("telemetry.ndjson")]
    [InlineData("telemetry.ndjson.gz")]
    public async Task A_whole_file_that_is_opened_again_stays_as_it_is(string name)
    {
        var file = Path.Combine(_folder.FullName, name);
        await WriteAsync(file, "1", "2");
        await WriteAsync(file, "3");
        var before = await File.ReadAllBytesAsync(file, Cancel);

        await using (var again = new TelemetryStore(new() { File = file })) Assert.Equal(0, again.Counts.CutOff);

        Assert.Equal(before, await File.ReadAllBytesAsync(file, Cancel));
    }

    [Fact]
    public async Task A_flushed_item_is_in_the_file_while_the_run_goes_on()
    {
        var file = Path.Combine(_folder.FullName, "telemetry.ndjson.gz");
        await using var store = new TelemetryStore(new() { File = file, FlushInterval = TimeSpan.FromMilliseconds(20) });
        store.Ingest(Items.Body(Items.Dependency("1")));
        while (new FileInfo(file).Length == 0) await Task.Delay(10, Cancel);

        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);
        Assert.Equal(1, loaded.Counts.Kept);
    }

    [Fact]
    public async Task A_full_disk_is_reported_and_the_run_goes_on_in_memory()
    {
        Assert.SkipUnless(File.Exists("/dev/full"), "This system has no device that is always full.");
        var store = new TelemetryStore(new() { File = "/dev/full" });
        store.Ingest(Items.Body(Items.Dependency(), Items.Dependency()));
        await store.DisposeAsync();

        Assert.Contains("space", store.FileFailure, StringComparison.OrdinalIgnoreCase);
        Assert.Equal((2L, 2L), (store.Counts.Kept, store.Counts.Unsaved));
    }

    [Fact]
    public async Task A_sample_that_was_edited_wrongly_costs_its_own_line()
    {
        var file = Path.Combine(_folder.FullName, "telemetry.ndjson");
        await using (var store = new TelemetryStore(new() { File = file }))
        {
            var queue = store.Define(Queue);
            for (var i = 1; i <= 4; i++) queue.Append(Items.Noon, $"q{i}", i, 2.5, true, null);
        }
        var text = await File.ReadAllTextAsync(file, Cancel);
        text = text.Replace("\"active\":2,", "\"active\":\"two\",", StringComparison.Ordinal).Replace("\"active\":3,", "\"active\":3,\"active\":30,", StringComparison.Ordinal);
        await File.WriteAllTextAsync(file, text, Cancel);

        await using var loaded = await TelemetryStore.LoadAsync(file, Cancel);

        Assert.Equal((3L, 1L), (loaded.Counts.Samples, loaded.Counts.Refused[RefusalReason.Malformed]));
        Assert.Equal(["q1 1", "q3 30", "q4 4"], Rows.Of(loaded.Snapshot(), "queue").Select(row => $"{row["name"]} {row["active"]}"));
    }

    [Fact]
    public void A_sample_that_does_not_fit_names_its_column()
    {
        var queue = new TelemetryStore().Define(Queue);

        var wrongType = Assert.Throws<ArgumentException>(() => queue.Append(Items.Noon, "q", "many", 1, true, null));
        var tooFew = Assert.Throws<ArgumentException>(() => queue.Append(Items.Noon));

        Assert.Contains("'active'", wrongType.Message);
        Assert.Contains("6 columns", tooFew.Message);
    }

    /// <summary>1 and 2, and a part of 3.</summary>
    private static async Task WriteUnfinishedAsync(string file)
    {
        await WriteAsync(file, "1", "2");
        await WriteAsync(file, "3");
        await using (var cut = new FileStream(file, FileMode.Open)) cut.SetLength(cut.Length - 20);
    }

    private static async Task WriteAsync(string file, params string[] names)
    {
        await using var store = new TelemetryStore(new() { File = file });
        store.Ingest(Items.Body([.. names.Select(name => Items.Dependency(name))]));
    }
}
