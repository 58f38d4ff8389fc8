using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using DroneDelivery.Lab.Report;

namespace DroneDelivery.Lab.Tests.Report;

/// <summary>The transactions that a report keeps to be browsed.</summary>
public sealed partial class BrowseSampleTests
{
    [Fact]
    public void Each_stage_has_failures_slow_and_typical_transactions_spread_over_its_time()
    {
        var stage = ImitatedRun.Shared.Record.Stages.Single(it => it.Stage == "1");
        var traces = SampleTraces.Of("1", StageTelemetry.Of(ImitatedRun.Shared.Telemetry, stage)!);

        Assert.Equal(["failure", "slow", "typical"], traces.Take(3).Select(trace => trace.Why).Order(StringComparer.Ordinal));
        Assert.InRange(traces.Count, 10, 20);
        Assert.True(traces.Max(trace => trace.Transaction.Start) - traces.Min(trace => trace.Transaction.Start) > TimeSpan.FromSeconds(50));
        Assert.All(traces.Where(trace => trace.Why == "failure"), trace => Assert.Contains(trace.Transaction.Steps, step => step.Failed));
        Assert.Equal(traces.Count, traces.Select(trace => trace.Transaction.Operation).Distinct().Count());
    }

    [Fact]
    public void A_report_has_the_sample_of_all_its_stages_and_leads_to_it_from_map_and_charts()
    {
        var report = RunReport.Render(ImitatedRun.Shared.Record, ImitatedRun.Shared.Telemetry);
        var sample = JsonDocument.Parse(Sample().Match(report).Groups[1].Value).RootElement;

        Assert.Equal(
            ["1", "2", "3", "4", "5"],
            sample.GetProperty("traces").EnumerateArray().Select(trace => trace.GetProperty("stage").GetString()).Distinct().Order());
        Assert.Contains(
            "<a href=\"#browse?list=failures&amp;service=delivery&amp;from=2030-01-01T08%3A00%3A01.000Z"
                + "&amp;to=2030-01-01T08%3A01%3A18.000Z\"",
            report,
            StringComparison.Ordinal);
        Assert.Contains("\"origin\":\"2030-01-01T08:00:03.000Z\",\"list\":\"requests\"", report, StringComparison.Ordinal);
    }

    [Fact]
    public void The_least_needed_are_left_out_where_the_sample_would_be_too_large()
    {
        var trace = Trace("a", Enumerable.Range(0, 50).Select(i => StepOf($"name {i}")));
        var small = TraceJson.Of([trace, trace, trace, trace], most: 2 * 50 * 60);

        Assert.InRange(JsonDocument.Parse(small).RootElement.GetProperty("traces").GetArrayLength(), 1, 3);
        Assert.InRange(Encoding.UTF8.GetByteCount(TraceJson.Of([trace, trace], 100_000)), 1, 100_000);
    }

    [Fact]
    public void Long_texts_are_cut()
    {
        var json = TraceJson.Of([Trace("a", [StepOf(new string('x', 5_000))])]);

        Assert.InRange(json.Length, 400, 1_000);
        Assert.Contains("\\u2026", json, StringComparison.Ordinal);
    }

    [Fact]
    public void Names_that_services_send_cannot_end_the_script_that_holds_the_sample()
    {
        var telemetry = ImitatedRun.StoreOfStage4();
        HostileTelemetry.AddTo(telemetry, ImitatedRun.Start.AddSeconds(5));
        var stage = ImitatedRun.Shared.Record.Stages.Single(it => it.Stage == "4") with { StartedAt = ImitatedRun.Start };
        var report = RunReport.Render(ImitatedRun.Shared.Record with { Stages = [stage] }, new(telemetry.Snapshot()));

        LiveLab.Leave("report-hostile.html", report);
        Assert.DoesNotContain(HostileTelemetry.Name, report, StringComparison.Ordinal);
        Assert.DoesNotContain("<img", report, StringComparison.Ordinal);
        Assert.Contains("hacked=1", report, StringComparison.Ordinal);
    }

    private static SampleTrace Trace(string operation, IEnumerable<Step> steps) =>
        new("1", "slow", new(operation, ImitatedRun.Start.UtcDateTime, [.. steps]));

    private static Step StepOf(string name) => new()
    {
        Depth = 0,
        Start = 0,
        Kind = "request",
        Role = "workflow",
        Name = name,
        Result = "",
        Failed = false,
        Message = "",
    };

    [GeneratedRegex("<script type=\"application/json\" id=\"sample\">(.*?)</script>", RegexOptions.Singleline)]
    private static partial Regex Sample();
}
