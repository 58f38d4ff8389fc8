using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Tests.Telemetry;

public sealed class CollapseQueryTests
{
    /// <summary>
    /// Like stage 4 at full scale: many failures with a long text, which a filter reads and mostly drops.
    /// </summary>
    [Fact]
    public void Error_texts_may_exceed_the_limit_of_one_query()
    {
        var query = KqlQuery.Parse(
            """
            requests
            | extend ten = strcat(name, name, name, name, name, name, name, name, name, name)
            | extend hundred = strcat(ten, ten, ten, ten, ten, ten, ten, ten, ten, ten)
            | extend thousand = strcat(hundred, hundred, hundred, hundred, hundred, hundred, hundred, hundred, hundred, hundred)
            | where thousand has 'lock' or strlen(thousand) > 1000
            | summarize characters = sum(strlen(thousand)), rows = count()
            """
        );

        var answer = FakeRun.Shared.Telemetry.Ask(
            query,
            new StageTimes("all", FakeRun.Start, FakeRun.Start.AddHours(1)),
            Cancel
        );

        Assert.True(
            (long)answer[0, 0]! > QueryLimits.Default.Characters,
            $"{answer[0, 0]} characters of {answer[0, 1]} requests are not beyond the limit of one query"
        );
    }
}
