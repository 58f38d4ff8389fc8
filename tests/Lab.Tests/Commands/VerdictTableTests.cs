using Spectre.Console;

namespace DroneDelivery.Lab.Tests.Commands;

/// <summary>The last words of a run on a terminal.</summary>
public sealed class VerdictTableTests
{
    private const string Command = "run 2";

    [Theory]
    [InlineData(0, false)]
    [InlineData(7, true)]
    public void What_the_file_with_the_telemetry_lacks_is_said(long unsaved, bool isSaid)
    {
        var telemetry = new TelemetryCounts(9, 9, new Dictionary<RefusalReason, long>(), 0, 0, unsaved, 0);

        Assert.Equal(
            isSaid,
            Say(PlayedByArithmetic.Run(Command) with { Telemetry = telemetry }).Contains("lacks 7 items", StringComparison.Ordinal));
    }

    [Fact]
    public void A_run_that_was_changed_says_so()
    {
        var said = Say(PlayedByArithmetic.Run(Command + " --set workflow.maxConcurrentCalls=2"), "--set", "workflow.maxConcurrentCalls=2");

        Assert.Contains("it is not the published one.", said, StringComparison.Ordinal);
        Assert.Contains("The run is as expected for its knobs, and so not as published.", said, StringComparison.Ordinal);
        Assert.DoesNotContain("not the published one", Say(PlayedByArithmetic.Run(Command)), StringComparison.Ordinal);
    }

    private static string Say(RunRecord run, params string[] more)
    {
        using var text = new StringWriter();
        var output = AnsiConsole.Create(new() { Ansi = AnsiSupport.No, Out = new AnsiConsoleOutput(text) });
        output.Profile.Width = 400;
        VerdictTable.Write(output, PlayedByArithmetic.PlanOf(LabCommand.Parse([.. Command.Split(' '), .. more])), run);
        return text.ToString();
    }
}
