namespace DroneDelivery.Lab.Tests.Telemetry;

public sealed class QueryCommandTests
{
    private static readonly DateTimeOffset Noon = new(2030, 1, 1, 12, 0, 0, TimeSpan.Zero);

    [Fact]
    public async Task Query_reads_the_newest_run_or_a_given_stage_in_each_format()
    {
        await using var lab = new LabProcess();
        var none = await lab.InvokeAsync("query", "throughput");
        await WriteAsync(Path.Combine(lab.Artifacts, "runs", "2030-01-01T11-00-00"), used: 7);
        await WriteAsync(Path.Combine(lab.Artifacts, "runs", "2030-01-01T12-00-00"), used: 8);

        var csv = await lab.InvokeAsync(
            "query",
            "-e",
            "redisSamples | project timestamp, usedMemory, text = 'a,\"b\"'",
            "--format",
            "csv"
        );
        var json = await lab.InvokeAsync(
            "query",
            "-e",
            "redisSamples | project timestamp, usedMemory",
            "--format",
            "json"
        );
        var table = await lab.InvokeAsync("query", "redisSamples | count");
        var stage = await lab.InvokeAsync("query", "redis-memory", "--run", "T11", "--stage", "4", "--format", "csv");
        var unknown = await lab.InvokeAsync("query", "redis-memory", "--stage", "none");
        var typed = await lab.RunAsync(new StringReader("redisSamples\n| count\n"), "query", "-", "--format", "csv");

        Assert.Equal(
            (
                0,
                "timestamp,usedMemory,text\n2030-01-01T12:00:00Z,8,\"a,\"\"b\"\"\"\n2030-01-01T13:00:00Z,9,\"a,\"\"b\"\"\"\n"
            ),
            (csv.ExitCode, csv.Output)
        );
        Assert.Contains("2 rows", csv.Error, StringComparison.Ordinal);
        Assert.Equal(
            [8, 9],
            JsonDocument
                .Parse(json.Output)
                .RootElement.EnumerateArray()
                .Select(row => row.GetProperty("usedMemory").GetInt32())
        );
        Assert.Contains("Count", table.Output, StringComparison.Ordinal);
        Assert.Equal((0, "Count\n2\n"), (typed.ExitCode, typed.Output));
        Assert.Equal("timestamp,max_usedMemory,max_maxMemory,max_keys\n2030-01-01T12:00:00Z,7,0,1\n", stage.Output);
        Assert.Equal((2, 2), (none.ExitCode, unknown.ExitCode));
        Assert.Contains("./lab run", none.Error, StringComparison.Ordinal);
        Assert.Contains("There are: 4.", unknown.Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Query_is_printed_for_a_workspace_without_a_run()
    {
        var printed = await LabInMemory.InvokeAsync("query", "service-bus-calls", "--workspace");

        Assert.Equal(0, printed.ExitCode);
        Assert.Contains("\nAppDependencies\n| where TimeGenerated > start", printed.Output, StringComparison.Ordinal);
        Assert.Contains(
            "avg_DurationMs=sum(DurationMs * ItemCount) / sum(ItemCount) by Name",
            printed.Output,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Times_set_in_a_query_are_kept()
    {
        const string Between = "redisSamples | where timestamp between (start .. end) | ";
        using var run = new OwnFolder();
        await WriteAsync(run.Path, used: 7);

        var fixedTimes = await AskAsync(
            run,
            "let start = datetime(2030-01-01T12:30); let end = now(); " + Between + "project usedMemory"
        );
        var relative = await AskAsync(run, "let start = ago(1h); let end = now(); " + Between + "count");

        Assert.Equal(("usedMemory\n8\n", "Count\n2\n"), (fixedTimes.Output, relative.Output));
    }

    [Fact]
    public async Task Result_with_too_many_rows_is_truncated_with_a_warning()
    {
        using var run = new OwnFolder();
        await WriteAsync(run.Path, used: 7);

        var (exitCode, output, error) = await AskAsync(run, "range n from 1 to 500001 step 1");

        Assert.Equal((0, 500_001), (exitCode, output.Count(character => character == '\n')));
        Assert.Contains(
            "Rows are missing: the result exceeds the limit of 500,000 rows. Add |",
            error,
            StringComparison.Ordinal
        );
    }

    [Theory]
    [InlineData("query: line 1, column 1", "query", "-e", "requestz | count")]
    [InlineData("Did you mean throughput?", "query", "throughputs")]
    [InlineData("Specify one query", "query")]
    [InlineData("query: line 1, column 12", "query", "requests | cout")]
    [InlineData("is neither a file nor a query", "query", "no such file.kql")]
    [InlineData("1999 is not a run", "query", "throughput", "--run", "1999")]
    public async Task Invalid_query_command_exits_with_2(string message, params string[] arguments)
    {
        using var run = new OwnFolder();
        await WriteAsync(run.Path, used: 8);
        string[] of = arguments.Contains("--run") ? [] : ["--run", run.Path];

        var (exitCode, output, error) = await LabInMemory.InvokeAsync([.. arguments, .. of]);

        Assert.Equal((2, ""), (exitCode, output));
        Assert.Contains(message, error, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", error, StringComparison.Ordinal);
    }

    private static async Task WriteAsync(string folder, long used)
    {
        Directory.CreateDirectory(folder);
        await using var store = new TelemetryStore(new() { File = Path.Combine(folder, TelemetryCollector.FileName) });
        var samples = new RunSamples(store);
        samples.Redis(Noon, used, 0, 1);
        samples.Redis(Noon.AddHours(1), used + 1, 0, 1);
        samples.Stage(new("4", Noon.AddMinutes(-1), Noon.AddMinutes(1)));
    }

    private static Task<(int ExitCode, string Output, string Error)> AskAsync(OwnFolder run, string query) =>
        LabInMemory.InvokeAsync("query", "-e", query, "--run", run.Path, "--format", "csv");
}
