using System.CommandLine;
using DroneDelivery.Lab.Overlays;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab overlays</c>: the stages as values of the Helm chart, profiles of skaffold and a table in the docs.</summary>
internal static class OverlaysCommand
{
    public static Command Create()
    {
        var check = new Option<bool>("--check") { Description = "Write nothing; exit code 1 when a file is not as it has to be." };
        var command = new Command(
            "overlays",
            "Writes the files that repeat loadtest/stages: helm/drone-delivery/values-stage-N.yaml, profiles in skaffold.yaml, "
            + "the table in docs/kubernetes.md.")
        {
            check,
        };
        command.WithExamples("overlays", "overlays --check");
        command.SetAction(parsed => Run(parsed.GetValue(check)));
        return command;
    }

    private static int Run(bool check)
    {
        var expected = OverlayFiles.Expected(Stage.All());
        var drifted = OverlayFiles.Drifted(expected, OverlayFiles.Read);
        if (!check)
            OverlayFiles.Write(expected);
        foreach (var file in drifted)
            Console.WriteLine(check ? $"{file} does not follow the stages: run `./lab overlays`." : $"{file} written.");
        return check && drifted.Count > 0 ? 1 : 0;
    }
}
