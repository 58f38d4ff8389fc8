using System.CommandLine;
using DroneDelivery.Lab.Overlays;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Commands;

/// <param name="Check">Whether nothing is written, and a file that has drifted is a failure.</param>
internal sealed record OverlaysArguments(bool Check);

/// <summary><c>lab overlays</c>: the stages as values of the Helm chart, profiles of skaffold and a table in the docs.</summary>
internal sealed class OverlaysCommand : Verb<OverlaysArguments>
{
    private readonly Option<bool> _check = new("--check")
    {
        Description = "Write nothing. Exit code 1 if a file differs from the stages.",
    };

    public OverlaysCommand()
        : base(
            "overlays",
            "Generates the files that are derived from loadtest/stages: helm/drone-delivery/values-stage-N.yaml, profiles in "
            + "skaffold.yaml, the table in docs/kubernetes.md.")
    {
        Takes(_check);
        HasExamples("overlays", "overlays --check");
    }

    protected override OverlaysArguments Read(ParseResult parsed) => new(parsed.GetValue(_check));

    public override async Task<ExitCode> RunAsync(OverlaysArguments arguments, LabContext context, CancellationToken cancellationToken)
    {
        var expected = OverlayFiles.Expected(Stage.All());
        var drifted = OverlayFiles.Drifted(expected, OverlayFiles.Read);
        if (!arguments.Check)
            OverlayFiles.Write(expected);
        foreach (var file in drifted)
        {
            await context.Out.Text.WriteLineAsync(
                arguments.Check ? $"{file} differs from the stages: run `./lab overlays`." : $"{file} written.");
        }
        return arguments.Check && drifted.Count > 0 ? ExitCode.Failed : ExitCode.Held;
    }
}
