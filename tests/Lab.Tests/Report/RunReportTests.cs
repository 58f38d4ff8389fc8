namespace DroneDelivery.Lab.Tests.Report;

public sealed class RunReportTests
{
    private static readonly string Report = Render();

    [Fact]
    public void Report_is_small_and_loads_nothing()
    {
        Assert.InRange(Encoding.UTF8.GetByteCount(Report), 100_000, 1_000_000);
        Assert.DoesNotMatch("(src|href)=\"(?!#)|@import|url\\(", Report);
        Assert.Contains("Content-Security-Policy", Report, StringComparison.Ordinal);
    }

    [Fact]
    public void Stage_1_shows_the_failing_call_with_its_exception()
    {
        var stage = Section("stage-1");

        Assert.Matches(
            "<td>delivery</td><td>PUT /api/deliveries/\\{id\\}</td><td>503</td>"
                + "<td>StackExchange.Redis.RedisServerException: OOM command not allowed",
            stage
        );
        Assert.Matches(
            "<td>PUT /api/deliveries/\\{id\\}</td><td class=\"number \">[0-9.]+</td><td class=\"number fails\">[0-9,]+</td>",
            stage
        );
        AssertHas(stage, "limit: 5 MiB", "Redis is not on the map");
    }

    [Fact]
    public void Stage_4_shows_waits_against_the_lock_and_dead_lettering()
    {
        var stage = Section("stage-4");

        AssertHas(
            stage,
            "lock: 7.5 s",
            "the broker: delivered too often",
            "<code>workflow.prefetchCount</code> 0 → <b>375</b>"
        );
        Assert.Matches(
            "<td>ServiceBusReceiver.DeadLetter</td><td class=\"number \">[0-9,]+</td><td class=\"number fails\">",
            stage
        );
    }

    [Fact]
    public void Report_compares_durations_with_the_article()
    {
        Assert.Matches(
            "<td>dronescheduler</td><td class=\"number \">22.9</td><td class=\"number \">22.9</td>"
                + "<td class=\"number muted\">21</td><td class=\"number muted\">41</td>",
            Section("stage-3")
        );
        Assert.Contains("data-edge=\"delivery localhost:6390\"", Section("stage-3"), StringComparison.Ordinal);
    }

    [Fact]
    public void Mean_is_drawn_where_its_bin_lies_within_the_stage()
    {
        // The load starts at 08:06:03 and the stage ends 75 s later, so the bins at 08:06:00 and 08:07:15 are cut.
        var drawn = Regex.Match(
            Section("stage-4"),
            "id=\"nodes-4\".*?<script [^>]*>(.*?)</script>",
            RegexOptions.Singleline
        );
        var data = drawn.Groups[1].Value;
        var times = JsonDocument
            .Parse(data)
            .RootElement.GetProperty("x")
            .EnumerateArray()
            .Select(time => time.GetDouble())
            .ToList();

        Assert.Equal(Enumerable.Range(0, 14).Select(bin => 4.5 + 5 * bin), times);
    }

    [Fact]
    public void Half_contains_only_the_telemetry_of_its_own_load()
    {
        var telemetry = new FakeTelemetry();
        telemetry.Play(new("6-long", _ => 20, _ => MessageOutcome.Completed) { Load = 120 }, FakeRun.Start);
        var another = FakeRun.Shared.Record.Stages.Single(stage => stage.Stage == "2");
        var half = another with { Stage = "6", HalfOf = "6-long", StartedAt = FakeRun.Start };

        var stage = StageTelemetry.Of(new(telemetry.Store.Snapshot()), half)!;

        // Out of 135 s.
        Assert.Equal(60, stage.Seconds);
        Assert.Contains(
            "let end = datetime(2030-01-01T08:01:03.000Z);",
            stage.Ask("throughput").Text,
            StringComparison.Ordinal
        );
        Assert.Equal(60 * 20, stage.Ask("throughput").Rows.Column("succeeded").Sum(count => (long)count!), 20.0);
    }

    [Fact]
    public void Summary_contains_the_metrics_of_the_run()
    {
        var story = Section("summary");

        var told = Regex.Match(story, "<ol class=\"story\">.*?</ol>", RegexOptions.Singleline).Value;
        Assert.DoesNotContain("{", told, StringComparison.Ordinal);
        Assert.Contains(
            "and nodes use 99.0 % of their CPU: with the longer lock, CPU is the bottleneck.",
            story,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void Run_without_telemetry_has_charts_but_no_map()
    {
        var report = RunReport.Render(FakeRun.Shared.Record, telemetry: null);

        AssertHas(report, "The run stored no telemetry", "id=\"in-out-4\"");
        Assert.DoesNotContain("class=\"map\"", report, StringComparison.Ordinal);
    }

    [Fact]
    public void Report_encodes_names_that_services_send()
    {
        var telemetry = FakeRun.StoreOfStage4();
        HostileTelemetry.AddTo(telemetry, FakeRun.Start.AddSeconds(5));
        var stage = FakeRun.Shared.Record.Stages.Single(stage => stage.Stage == "4") with { StartedAt = FakeRun.Start };

        var report = RunReport.Render(FakeRun.Shared.Record with { Stages = [stage] }, new(telemetry.Snapshot()));

        LiveLab.Leave("report-hostile.html", report);
        AssertLacks(report, HostileTelemetry.Name, "<img");
        Assert.Contains("hacked=1", report, StringComparison.Ordinal);
    }

    private static string Render()
    {
        var report = RunReport.Render(FakeRun.Shared.Record, FakeRun.Shared.Telemetry);
        LiveLab.Leave("report.html", report);
        return report;
    }

    private static string Section(string id)
    {
        var start = Report.IndexOf($"<section class=\"page\" id=\"{id}\"", StringComparison.Ordinal);
        Assert.NotEqual(-1, start);
        return Report[start..Report.IndexOf("</section>", start, StringComparison.Ordinal)];
    }
}
