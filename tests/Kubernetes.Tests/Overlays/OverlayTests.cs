using System.Text.RegularExpressions;
using DroneDelivery.Lab.Cli;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Kubernetes.Tests.Overlays;

public sealed partial class OverlayTests
{
    public static TheoryData<string> Files =>
        [.. OverlayFiles.Expected(Stage.All()).Keys.Select(path => Path.GetRelativePath(Repository.Root, path))];

    [Fact]
    public void Stages_overlays_and_the_table_in_the_docs_say_the_same() =>
        Assert.Empty(OverlayFiles.Drifted(OverlayFiles.Expected(Stage.All()), OverlayFiles.Read));

    [Theory, MemberData(nameof(Files))]
    public void A_number_changed_in_what_follows_the_stages_is_noticed(string file)
    {
        var drifted = OverlayFiles.Drifted(
            OverlayFiles.Expected(Stage.All()),
            path => Path.GetRelativePath(Repository.Root, path) == file
                ? OneNumberChanged(OverlayFiles.Read(path)!)
                : OverlayFiles.Read(path));

        Assert.Equal([file], drifted);
    }

    [Fact]
    public void An_overlay_without_a_stage_and_a_stage_without_an_overlay_are_noticed()
    {
        var stages = Stage.All();
        var renamed = stages.Select(stage => stage == stages[0] ? stage with { Id = "renamed" } : stage).ToList();

        var drifted = OverlayFiles.Drifted(OverlayFiles.Expected(renamed), OverlayFiles.Read);

        Assert.Contains($"helm/drone-delivery/values-stage-{stages[0].Id}.yaml", drifted);
        Assert.Contains("helm/drone-delivery/values-stage-renamed.yaml", drifted);
        Assert.Contains("skaffold.yaml", drifted);
    }

    [Fact]
    public void Every_knob_of_a_service_is_a_setting_that_the_chart_accepts()
    {
        var schema = JsonNode.Parse(File.ReadAllText(Path.Combine(Repository.Root, "helm", "drone-delivery", "values.schema.json")))!;
        var accepted = schema["$defs"]!["settings"]!["propertyNames"]!["anyOf"]![0]!["enum"]!.AsArray()
            .Select(name => name!.ToString())
            .ToList();

        Assert.Empty(KnobTable.All.Select(knob => knob.Setting).OfType<string>().Except(accepted));
    }

    // In an overlay, in a row of the table, in the name of a profile.
    private static string OneNumberChanged(string text) => NumberOfAStage().Replace(text, match => match.Value + "1", 1);

    [GeneratedRegex(@"replicas: \d+|(?<=\n)\| \d+|(?<=name: )stage-\d+")]
    private static partial Regex NumberOfAStage();
}
