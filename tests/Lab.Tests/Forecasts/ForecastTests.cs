using DroneDelivery.Lab.Predict;

namespace DroneDelivery.Lab.Tests.Forecasts;

public sealed class ForecastTests
{
    public static TheoryData<string, double> Stages =>
        new(from stage in Stage.All() from k in new[] { 1, RunOptions.Quick } select (stage.Id, k));

    [Theory, MemberData(nameof(Stages))]
    public void Published_metrics_match_the_forecast(string id, double k)
    {
        var plan = Plan(id, k);
        var forecast = Forecast.Of(plan);

        Assert.Null(forecast.Gap);
        foreach (var (name, expected) in forecast.Figures)
        {
            if (plan.Stage.Prediction(name, k) is { } published)
            {
                Assert.Equal(
                    (name, Agreement.AsPredicted),
                    (name, expected.Compare(FigureTable.Find(name), published))
                );
            }
        }
    }

    [Theory]
    [InlineData("4", true, "")] // 375 of 2,500 messages, 7.5 s.
    [InlineData("4", true, "workflow.prefetchCount=1800")]
    [InlineData("4", null, "workflow.prefetchCount=1500")] // The safe prefetch is 1,495.
    [InlineData("4", false, "workflow.prefetchCount=1300")]
    [InlineData("4", false, "workflow.prefetchCount=0")]
    [InlineData("4", false, "queue.messagesAtStart=0")] // The backlog grows too late.
    [InlineData("5", false, "")]
    [InlineData("5", true, "workflow.maxConcurrentCalls=1")] // The last of 375 messages waits 92 s.
    [InlineData("4-long", true, "")]
    public void Longest_wait_determines_whether_locks_expire(string id, bool? lost, string knob)
    {
        var figures = Forecast.Of(Plan(id, 8, knob.Length == 0 ? [] : [knob])).Figures;

        Assert.Equal(
            lost,
            figures.GetValueOrDefault("redelivered") switch
            {
                null => null,
                { Value: 0 } => false,
                _ => true,
            }
        );
    }

    [Theory]
    [InlineData("workflow.maxConcurrentCalls=2", 24.0)] // 6 / 0.246, with a little waiting for CPU.
    [InlineData("workflow.replicas=6", 24.0)]
    [InlineData("workflow.maxConcurrentCalls=40", 78.9)] // Three nodes run a Workflow and a DroneScheduler: 23.3 ms.
    [InlineData("nodes.cpuCost=0", 16.2)] // 3 / 0.186
    [InlineData("nodes.vCpu=1", 11.9)]
    [InlineData("workflow.replicas=0", 0.0)]
    [InlineData("load.maxUsers=4", 8.0)] // The incoming rate.
    public void Rate_is_the_minimum_of_load_handlers_and_nodes(string knob, double rate) =>
        Assert.Equal(
            rate,
            Forecast.Of(Plan("2", 1, knob)).Figures["completed.plateau"].Value!.Value,
            Math.Max(0.1, 0.05 * rate)
        );

    [Fact]
    public void Run_without_a_model_has_no_forecast()
    {
        var forecast = Forecast.Of(Plan("2", 8, "redis.maxMemory=31457280"));

        Assert.StartsWith("The number of deliveries that fit", forecast.Gap, StringComparison.Ordinal);
        Assert.Empty(forecast.Figures);
        var here = Plan("2", 8).Options;
        Assert.NotNull(Forecast.Of(StagePlan.Of(Stage.Load("2"), here with { Environment = "none" })).Gap);
        Assert.NotNull(
            Forecast.Of(StagePlan.Of(Stage.Load("2"), here with { Targets = [new("http://10.0.0.1/")] })).Gap
        );
    }

    [Fact]
    public void Full_cache_stops_completions()
    {
        var figures = Forecast.Of(Plan("1", 8, "redis.deliveriesThatFit=800")).Figures;

        Assert.Equal(100, figures["completed.underLoad"].Value);
        Assert.Equal(1, figures["http.5xx"].Bounds!.Min);
    }

    [Fact]
    public void Outage_forecast_includes_queue_length_drain_and_losses()
    {
        var plan = Plan("5-clean", 8);
        StageFault[] faults = [StageFault.Parse("kill workflow-1 at 200s for 60s")];
        var killed = Forecast.Of(plan with { Options = plan.Options with { Faults = faults } });

        HashSet<string> outage = ["backlog.max", "drain", "redelivered", "deadLettered.final"];
        Assert.Superset(outage, killed.Figures.Keys.ToHashSet());
        Assert.True(killed.Figures["redelivered"].Value > 0, "what the killed Workflow held comes again");
        Assert.True(killed.Figures["backlog.max"].Value > Forecast.Of(plan).Figures["backlog.loadEnd"].Value);
        Assert.Equal(0, killed.Figures["deadLettered.final"].Value);
    }

    [Fact]
    public void Outcome_of_only_some_simulations_widens_the_range()
    {
        // With one handler per Workflow, the killed one either held a message or had just settled it.
        var plan = Plan("2", 8);
        StageFault[] faults = [StageFault.Parse("kill workflow-1 at 120s for 60s")];

        var figures = Forecast.Of(plan with { Options = plan.Options with { Faults = faults } }).Figures;

        Assert.Equal(new Expected(0, new Band(0, 1)), figures["redelivered"]);
        Assert.Equal(new Expected(0), figures["deadLettered.final"]);
    }

    private static StagePlan Plan(string id, double k, params string[] knobs) =>
        StagePlan.Of(Stage.Load(id), new(k, KnobSet.Parse(knobs), null, "", new Ports(0), 1, false));
}
