using System.CommandLine;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab results</c>: runs as the page docs/results.md.</summary>
internal static class ResultsCommand
{
    public static Command Create()
    {
        var runs = new Argument<string[]>("runs")
        {
            HelpName = "RUN",
            Arity = ArgumentArity.OneOrMore,
            Description = "Folders of artifacts/runs, or parts of their names; last is the newest.",
        };
        var command = new Command("results", "Prints runs as Markdown: article, predicted, measured, band, verdict.") { runs }
            .WithExamples("results last", "results 2026-01-31T12-00-00-all 2026-01-31T13-00-00-4+5+5-long > docs/results.md");
        command.SetAction(parsed => Console.Write(ResultsPage.Of([.. parsed.GetValue(runs)!.Select(RunFolder.Read)])));
        return command;
    }
}
