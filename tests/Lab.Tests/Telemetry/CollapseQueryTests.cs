using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Tests.Telemetry;

public sealed class CollapseQueryTests
{
    /// <summary>As stage 4 at full length: each of many failures carries a long text that a filter reads, and few rows are left.</summary>
    [Fact]
    public void However_much_text_of_errors_a_stage_has()
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

        var answer = ImitatedRun.Shared.Telemetry.Ask(
            query,
            new StageTimes("all", ImitatedRun.Start, ImitatedRun.Start.AddHours(1)),
            Cancel
        );

        Assert.True(
            (long)answer[0, 0]! > QueryLimits.Default.Characters,
            $"{answer[0, 0]} characters of {answer[0, 1]} requests are not beyond the limit of one query"
        );
    }
}
