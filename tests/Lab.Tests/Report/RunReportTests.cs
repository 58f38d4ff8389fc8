namespace DroneDelivery.Lab.Tests.Report;

public sealed class RunReportTests
{
    private static readonly string Report = Render();

    [Fact]
    public void It_is_small_and_loads_nothing()
    {
        Assert.InRange(Encoding.UTF8.GetByteCount(Report), 100_000, 1_000_000);
        Assert.DoesNotMatch("(src|href)=\"(?!#)|@import|url\\(", Report);
        Assert.Contains("Content-Security-Policy", Report, StringComparison.Ordinal);
    }

    [Fact]
    public void From_stage_1_alone_one_can_tell_which_service_fails_which_call_with_which_exception_and_why()
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
    public void Stage_4_shows_the_wait_against_the_lock_and_who_gave_messages_up()
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
    public void Durations_stand_beside_those_of_the_article_and_Redis_is_on_the_map_where_its_calls_are_tracked()
    {
        Assert.Matches(
            "<td>dronescheduler</td><td class=\"number \">22.9</td><td class=\"number \">22.9</td>"
                + "<td class=\"number muted\">21</td><td class=\"number muted\">41</td>",
            Section("stage-3")
        );
        Assert.Contains("data-edge=\"delivery localhost:6390\"", Section("stage-3"), StringComparison.Ordinal);
    }

    [Fact]
    public void A_mean_is_drawn_where_its_bin_lies_within_the_stage()
    {
        // The load begins at 08:06:03, and the stage ends 75 s later: the bins at 08:06:00 and 08:07:15 are cut.
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
    public void A_half_has_the_telemetry_of_its_own_load_alone()
    {
        var telemetry = new ImitatedTelemetry();
        telemetry.Play(new("6-long", _ => 20, _ => Fate.Completed) { Load = 120 }, ImitatedRun.Start);
        var another = ImitatedRun.Shared.Record.Stages.Single(stage => stage.Stage == "2");
        var half = another with { Stage = "6", HalfOf = "6-long", StartedAt = ImitatedRun.Start };

        var stage = StageTelemetry.Of(new(telemetry.Store.Snapshot()), half)!;

        // Of 135 s.
        Assert.Equal(60, stage.Seconds);
        Assert.Contains(
            "let end = datetime(2030-01-01T08:01:03.000Z);",
            stage.Ask("throughput").Text,
            StringComparison.Ordinal
        );
        Assert.Equal(60 * 20, stage.Ask("throughput").Rows.Column("succeeded").Sum(count => (long)count!), 20.0);
    }

    [Fact]
    public void The_story_has_the_figures_of_the_run()
    {
        var story = Section("summary");

        var told = Regex.Match(story, "<ol class=\"story\">.*?</ol>", RegexOptions.Singleline).Value;
        Assert.DoesNotContain("{", told, StringComparison.Ordinal);
        Assert.Contains(
            "and nodes are at 99.0 % CPU: with the longer lock, CPU is the limit.",
            story,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void A_run_without_telemetry_has_charts_of_its_record_and_no_map()
    {
        var report = RunReport.Render(ImitatedRun.Shared.Record, telemetry: null);

        AssertHas(report, "The run kept no telemetry", "id=\"in-out-4\"");
        Assert.DoesNotContain("class=\"map\"", report, StringComparison.Ordinal);
    }

    [Fact]
    public void Report_encodes_names_that_services_send()
    {
        var telemetry = ImitatedRun.StoreOfStage4();
        HostileTelemetry.AddTo(telemetry, ImitatedRun.Start.AddSeconds(5));
        var stage = ImitatedRun.Shared.Record.Stages.Single(stage => stage.Stage == "4") with
        {
            StartedAt = ImitatedRun.Start,
        };

        var report = RunReport.Render(ImitatedRun.Shared.Record with { Stages = [stage] }, new(telemetry.Snapshot()));

        LiveLab.Leave("report-hostile.html", report);
        AssertLacks(report, HostileTelemetry.Name, "<img");
        Assert.Contains("hacked=1", report, StringComparison.Ordinal);
    }

    private static string Render()
    {
        var report = RunReport.Render(ImitatedRun.Shared.Record, ImitatedRun.Shared.Telemetry);
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
