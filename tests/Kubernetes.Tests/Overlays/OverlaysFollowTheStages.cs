using System.Text.RegularExpressions;
using DroneDelivery.Lab;
using DroneDelivery.Lab.Knobs;
using DroneDelivery.Lab.Overlays;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Kubernetes.Tests.Overlays;

public sealed partial class OverlaysFollowTheStages
{
    public static TheoryData<string> Stages => [.. Stage.All().Select(stage => stage.Id)];

    public static TheoryData<string> Files => [.. OverlayFiles.Expected(Stage.All()).Keys.Select(path => Path.GetRelativePath(Repository.Root, path))];

    [Fact]
    public void Stages_overlays_and_the_table_in_the_docs_say_the_same() =>
        Assert.Empty(OverlayFiles.Drifted(OverlayFiles.Expected(Stage.All()), OverlayFiles.Read));

    [Theory, MemberData(nameof(Stages))]
    public void A_number_changed_in_a_stage_is_noticed_in_its_overlay_and_in_the_table(string id)
    {
        var stages = Stage.All().Select(stage => stage.Id == id ? OneReplicaMore(stage) : stage).ToList();

        Assert.Equal(["docs/kubernetes.md", $"helm/drone-delivery/values-stage-{id}.yaml"], OverlayFiles.Drifted(OverlayFiles.Expected(stages), OverlayFiles.Read));
    }

    [Theory, MemberData(nameof(Files))]
    public void A_number_changed_in_an_overlay_or_in_the_table_is_noticed(string file)
    {
        var drifted = OverlayFiles.Drifted(
            OverlayFiles.Expected(Stage.All()),
            path => Path.GetRelativePath(Repository.Root, path) == file ? OneNumberChanged(OverlayFiles.Read(path)!) : OverlayFiles.Read(path));

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
    }

    private static Stage OneReplicaMore(Stage stage) =>
        stage with { Knobs = stage.Knobs.With(KnobSet.Parse([$"workflow.replicas={stage.Knobs.Number("workflow.replicas", 1) + 1}"])) };

    // In the overlays a line of its own; in the docs the first number of the table's first row.
    private static string OneNumberChanged(string text) => ReplicasOrRow().Replace(text, match => match.Value + "1", 1);

    [GeneratedRegex(@"replicas: \d+|(?<=\n)\| \d+")]
    private static partial Regex ReplicasOrRow();
}
