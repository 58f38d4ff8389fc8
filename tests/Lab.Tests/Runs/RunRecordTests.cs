namespace DroneDelivery.Lab.Tests.Runs;

public sealed class RunRecordTests
{
    [Fact]
    public void Run_record_round_trips_and_its_fields_are_documented()
    {
        var (written, file) = (Lossy("run 2").ToJson(), Path.GetTempFileName());
        File.WriteAllText(file, written);
        var page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "reference", "stage-files.md"));
        var json = JsonDocument.Parse(written).RootElement;
        var fields = json.EnumerateObject()
            .Concat(json.GetProperty("stages")[0].EnumerateObject())
            .Select(field => field.Name)
            .ToList();

        var read = RunRecord.Read(file);
        File.Delete(file);

        Assert.Equal(written, read.ToJson());
        Assert.True(double.IsNaN(read.Stages[0].Figures["drain"].Value));
        Assert.InRange(fields.Count, 29, int.MaxValue);
        Assert.All(fields, field => Assert.Contains($"`{field}`", page, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("", "is damaged and cannot be read")]
    [InlineData("{ \"schema\": 2, \"stages\": [", "is damaged and cannot be read")]
    [InlineData("null", "is damaged and cannot be read: it has no stages.")]
    [InlineData("{ \"schema\": 99, \"stages\": { } }", "has schema 99, and this lab reads only schemas up to 2")]
    public void Unreadable_record_is_named_with_the_reason(string json, string reason)
    {
        var file = Path.GetTempFileName();
        File.WriteAllText(file, json);

        var refusal = Assert.Throws<LabException>(() => RunRecord.Read(file));
        File.Delete(file);

        Assert.StartsWith($"{file} {reason}", refusal.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', refusal.Message);
    }

    [Fact]
    public void Record_contains_all_changes_from_the_command_line()
    {
        var options = ComputedRun.PlanOf("run 2 --set queue.lockDuration=30").Options with
        {
            Environment = "none",
            Open = true,
            Faults = [StageFault.Parse("kill package-1 at 9s")],
            Targets = [new Uri("http://10.0.0.1/")],
        };

        var run = RunRecord.Of(RunPlan.Of(["2"], options), [], default, "", ComputedRun.Machine, null, null, null);

        Assert.Equal(
            [
                new("queue.lockDuration", "30s"),
                new("--environment", "none"),
                new("--open", "true"),
                new("--fault", "kill package-1 at 9s"),
                new("--target", "http://10.0.0.1/"),
            ],
            run.Changed
        );
    }

    [Theory]
    [InlineData(0, false)]
    [InlineData(7, true)]
    public void Report_and_terminal_show_the_gap_in_the_telemetry_file(int unsaved, bool isSaid)
    {
        var run = Lossy("run 2") with
        {
            Telemetry = new(
                10,
                10,
                new Dictionary<DroneDelivery.Telemetry.Ingest.RefusalReason, long>(),
                0,
                0,
                unsaved,
                0
            ),
        };

        Assert.Equal(
            isSaid,
            RunReport
                .Render(run, telemetry: null)
                .Contains("The telemetry file lacks 7 items that could not be written", StringComparison.Ordinal)
        );
        Assert.Equal(isSaid, ChangedRunTests.Print(run).Contains("lacks 7 items", StringComparison.Ordinal));
        Assert.DoesNotContain("fileGap", run.ToJson(), StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    public void Report_shows_failed_checks_with_their_meaning()
    {
        var run = Lossy("run 2 --set workflow.maxConcurrentCalls=2") with { Command = "./lab run 2 <b>" };

        var report = RunReport.Render(run, telemetry: null);

        Assert.Equal(Outcomes.Broken, run.Outcome);
        AssertHas(
            report,
            "0 of 2 checks hold.",
            "a message was lost or counted twice",
            "so published ranges",
            "emulated latency (azure-2020)",
            "./lab run 2 &lt;b&gt;"
        );
    }

    /// <summary>40 incoming and 16 outgoing messages per second, with one missing at the end.</summary>
    private static RunRecord Lossy(string command)
    {
        var series = new Series([.. Enumerable.Range(0, 31).Select(i => new Sample(i * 2.5, QueueAt(i), 0))]);
        var load = NoLoad.ResultOf("own", DateTimeOffset.UnixEpoch, 3375);
        var final = QueueCounters.Zero with { Incoming = 3375, Completed = 1200, Active = 2174 };
        return ComputedRun.Run(command, it => new(series, it.Profile, it.BinSeconds, load, final, 0, 0, 0));
    }

    private static QueueCounters QueueAt(int i) =>
        QueueCounters.Zero with
        {
            Incoming = i * 100,
            Outgoing = i * 40,
            Completed = i * 40,
            Active = i * 60,
        };
}
