using System.CommandLine;
using DroneDelivery.Lab.Experiments;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab results</c>: runs, then experiments, as the page docs/results.md.</summary>
internal static class ResultsCommand
{
    public static Command Create()
    {
        var played = new Argument<string[]>("played")
        {
            HelpName = "PLAYED",
            Arity = ArgumentArity.OneOrMore,
            Description = "Folders of artifacts/runs or artifacts/experiments, or parts of their names; last is the newest run, "
                + $"{ExperimentsOnDisk.Last} the newest experiment.",
        };
        var command = new Command("results", "Prints runs and experiments as Markdown: article, predicted, measured, band, verdict.")
        {
            played,
        }
        .WithExamples("results last", "results 2026-01-31T12-00-00-all last-experiment > docs/results.md");
        command.SetAction(parsed => Console.Write(PageOf([.. parsed.GetValue(played)!.Select(ExperimentsOnDisk.FindAny)])));
        return command;
    }

    private static string PageOf(IReadOnlyList<string> folders)
    {
        var experiments = folders.ToLookup(ExperimentsOnDisk.IsExperiment);
        return ResultsPage.Of([.. experiments[false].Select(RunFolder.Read)])
            + ExperimentResults.Of([.. experiments[true].SelectMany(ExperimentsOnDisk.Read)]);
    }
}
