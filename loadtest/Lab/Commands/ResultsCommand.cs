using System.CommandLine;
using DroneDelivery.Lab.Experiments;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Lab.Commands;

/// <param name="Played">Folders of runs or experiments, or parts of their names.</param>
internal sealed record ResultsArguments(IReadOnlyList<string> Played);

/// <summary><c>lab results</c>: runs, then experiments, as the page docs/results.md.</summary>
internal sealed class ResultsCommand : Verb<ResultsArguments>
{
    private readonly Argument<string[]> _played = new("played")
    {
        HelpName = "PLAYED",
        Arity = ArgumentArity.OneOrMore,
        Description = "Folders of artifacts/runs or artifacts/experiments, or parts of their names; last is the newest run, "
            + $"{ExperimentsOnDisk.Last} the newest experiment.",
    };

    public ResultsCommand()
        : base(
            "results",
            "Prints runs and experiments as Markdown: the article's figure, prediction, measurement, accepted range and verdict.")
    {
        Takes(_played);
        HasExamples("results last", "results 2026-01-31T12-00-00-all last-experiment > docs/results.md");
    }

    protected override ResultsArguments Read(ParseResult parsed) => new(parsed.GetValue(_played)!);

    public override async Task<ExitCode> RunAsync(ResultsArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        var experiments = arguments.Played.Select(ExperimentsOnDisk.FindAny).ToLookup(ExperimentsOnDisk.IsExperiment);
        await context.Out.Text.WriteAsync(
            ResultsPage.Of([.. experiments[false].Select(RunFolder.Read)])
            + ExperimentResults.Of([.. experiments[true].SelectMany(ExperimentsOnDisk.Read)]));
        return ExitCode.Held;
    }
}
