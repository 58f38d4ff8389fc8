namespace DroneDelivery.Lab.Tests.Runs;

public sealed class GuessTests
{
    [Theory]
    [InlineData("12/s", "completed.plateau", 12)]
    [InlineData("12.5", "completed.plateau", 12.5)]
    [InlineData("backlog.loadEnd=2,500", "backlog.loadEnd", 2500)]
    [InlineData("node.p95 = 34%", "node.p95", 34)]
    public void Prediction_is_a_rate_by_default(string typed, string figure, double value) =>
        Assert.Equal(new(figure, value), Guess.Parse(typed));

    [Theory]
    [InlineData("12/s", "You predicted 12/s: right.")]
    [InlineData("24/s", "You predicted 24/s: too high.")]
    [InlineData("6/s", "You predicted 6/s: too low.")]
    public void Result_states_which_prediction_was_right(string typed, string said)
    {
        var lines = Guess.Parse(typed).Judge(ComputedRun.Run("run 2").Stages[0]);

        Assert.Contains("The article reports about 16/s in the best 5 s: too high.", lines.Select(line => line.Trim()));
        Assert.Contains("The model predicted 12.1/s: right.", lines.Select(line => line.Trim()));
        Assert.Equal(said, lines[^1].Trim());
    }

    [Theory]
    [InlineData("inOut.plateau=7", "run 2")] // The article claims more than 5×.
    [InlineData("unsettled.perPrefetch=1", "run 4")] // The article has 3,000 concurrent messages.
    public void Bound_or_other_unit_is_not_compared_with_the_article(string typed, string command) =>
        Assert.DoesNotContain(Guess.Parse(typed).Judge(ComputedRun.Run(command).Stages[0]), line =>
            line.Contains("The article", StringComparison.Ordinal)
        );

    [Fact]
    public void Prediction_is_saved_and_shown_in_the_report()
    {
        var run = ComputedRun.Run("run 2") with { Guess = Guess.Parse("24/s") };

        Assert.Contains("\"guess\": {", run.ToJson(), StringComparison.Ordinal);
        Assert.Contains(
            "You predicted 24/s: too high.",
            RunReport.Render(run, telemetry: null),
            StringComparison.Ordinal
        );
    }
}
