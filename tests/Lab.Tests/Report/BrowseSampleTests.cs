namespace DroneDelivery.Lab.Tests.Report;

public sealed class BrowseSampleTests
{
    [Fact]
    public void Each_stage_has_late_failed_slow_and_typical_transactions_spread_over_its_time()
    {
        var stage = ImitatedRun.Shared.Record.Stages.Single(it => it.Stage == "1");
        var traces = SampleTraces.Of("1", StageTelemetry.Of(ImitatedRun.Shared.Telemetry, stage)!);

        Assert.Equal(
            ["failure", "late", "slow", "typical"],
            traces.Take(4).Select(trace => trace.Why).Order(StringComparer.Ordinal)
        );
        Assert.InRange(traces.Count, 10, 26);
        Assert.True(
            traces.Max(trace => trace.Transaction.Start) - traces.Min(trace => trace.Transaction.Start)
                > TimeSpan.FromSeconds(50)
        );
        Assert.All(traces.Where(trace => trace.Why == "failure"), trace =>
            Assert.Contains(trace.Transaction.Steps, step => step.Failed)
        );
        Assert.Equal(traces.Count, traces.Select(trace => trace.Transaction.Operation).Distinct().Count());
    }

    [Fact]
    public void The_slowest_messages_of_a_stage_are_in_its_sample_and_of_long_ones_the_steps_that_failed()
    {
        var traces = SampleOfStage4(store =>
        {
            Handled(store, "slowest\nb'\\", took: 9, url: "http://workflow/one");
            Handled(store, new string('x', 6_000), took: 9);
            Handled(store, "long", took: 9);
            for (var i = 0; i < 90; i++)
            {
                SentItem.AddStep(
                    store,
                    ImitatedRun.Start.AddSeconds(9),
                    "long",
                    $"c{i}",
                    $"call {i}",
                    target: "somebody",
                    code: "",
                    success: i < 89,
                    parent: "w1"
                );
            }
        });

        var slowest = traces.Single(trace => trace.Transaction.Operation == "slowest\nb'\\");
        Assert.Equal("slow", slowest.Why);
        // The same words find it as on the live page.
        Assert.Equal("http://workflow/one", Assert.Single(slowest.Transaction.Steps).Message);
        Assert.DoesNotContain(traces, trace => trace.Transaction.Operation.Length > 200);

        var steps = traces.Single(trace => trace.Transaction.Operation == "long").Transaction.Steps;
        Assert.Equal(SampleTraces.MostSteps, steps.Count);
        var failed = Assert.Single(steps, step => step.Failed);
        Assert.Equal(
            ("Http: call 89", 1, "ServiceBusProcessor.ProcessMessage"),
            (failed.Name, failed.Depth, steps[0].Name)
        );
        Assert.Contains("\"leftOut\":31", TraceJson.Of(traces), StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_typical_was_completed()
    {
        var typical = SampleOfStage4(store =>
            {
                Handled(store, "first and never settled", took: 0.1, at: -1);
                for (var i = 0; i < 4; i++)
                    Handled(store, $"slow{i}", took: 9, at: 20 + 5 * i);
            })
            .Where(trace => trace.Why == "typical")
            .ToList();

        Assert.NotEmpty(typical);
        Assert.All(typical, trace =>
            Assert.Contains(trace.Transaction.Steps, step =>
                step.Name.EndsWith("Complete", StringComparison.Ordinal) && !step.Failed
            )
        );
    }

    [Fact]
    public void What_counts_is_the_length_that_is_written_and_one_large_transaction_does_not_end_the_sample()
    {
        var large = Trace("large", Enumerable.Range(0, 100).Select(i => StepOf($"{i} " + new string('"', 390))));
        var small = Trace("small", [StepOf(new string('x', 399) + "😀")]); // what cuts it must not cut a character in two
        var json = TraceJson.Of([large, small], 100_000);

        Assert.InRange(json.Length, 1, 100_000);
        var written = JsonDocument.Parse(json).RootElement;
        Assert.Equal(
            "small",
            written.GetProperty("traces").EnumerateArray().Single().GetProperty("operation").GetString()
        );
        Assert.DoesNotContain("u0022", json, StringComparison.Ordinal);
    }

    [Fact]
    public void Names_that_services_send_cannot_end_the_script_that_holds_the_sample()
    {
        var telemetry = ImitatedRun.StoreOfStage4();
        HostileTelemetry.AddTo(telemetry, ImitatedRun.Start.AddSeconds(5));
        var stage = ImitatedRun.Shared.Record.Stages.Single(it => it.Stage == "4") with
        {
            StartedAt = ImitatedRun.Start,
        };
        var report = RunReport.Render(ImitatedRun.Shared.Record with { Stages = [stage] }, new(telemetry.Snapshot()));

        LiveLab.Leave("report-hostile.html", report);
        AssertLacks(report, HostileTelemetry.Name, "<img");
        Assert.Contains("hacked=1", report, StringComparison.Ordinal);
    }

    private static IReadOnlyList<SampleTrace> SampleOfStage4(Action<TelemetryStore> more)
    {
        var store = ImitatedRun.StoreOfStage4();
        more(store);
        var stage = ImitatedRun.Shared.Record.Stages.Single(it => it.Stage == "4") with
        {
            StartedAt = ImitatedRun.Start,
        };
        return SampleTraces.Of("4", StageTelemetry.Of(new(store.Snapshot()), stage)!);
    }

    /// <summary>A message; unless told otherwise, in the third of fifteen times five seconds.</summary>
    private static void Handled(TelemetryStore store, string operation, double took, double at = 9, string url = "") =>
        SentItem.AddStep(
            store,
            ImitatedRun.Start.AddSeconds(at),
            operation,
            "w1",
            "ServiceBusProcessor.ProcessMessage",
            took,
            url: url
        );

    private static SampleTrace Trace(string operation, IEnumerable<Step> steps) =>
        new("1", "slow", new(operation, ImitatedRun.Start.UtcDateTime, [.. steps]), Story: []);

    private static Step StepOf(string name) =>
        new(0, 0, null, "request", "workflow", "", name, "", Failed: false, "", [], "");
}
