using DroneDelivery.Lab.Cli;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Kubernetes.Tests.Overlays;

/// <summary>That nothing has drifted is held by DocsCommandTests.</summary>
public sealed class OverlayTests
{
    [Fact]
    public void An_overlay_without_a_stage_and_a_stage_without_an_overlay_are_noticed()
    {
        var stages = Stage.All();
        var renamed = stages.Select(stage => stage == stages[0] ? stage with { Id = "renamed" } : stage).ToList();

        var drifted = OverlayFiles.Drifted(OverlayFiles.Expected(renamed));

        string[] expected =
        [
            "docs/reference/stages.md",
            "helm/drone-delivery/values-stage-renamed.yaml",
            $"helm/drone-delivery/values-stage-{stages[0].Id}.yaml",
            "skaffold.yaml",
        ];
        Assert.Equal(expected.Order(StringComparer.Ordinal), drifted);
    }

    [Fact]
    public void Every_knob_of_a_service_is_a_setting_that_the_chart_accepts()
    {
        var schema = JsonNode.Parse(Read("helm/drone-delivery/values.schema.json"))!;
        var accepted = schema["$defs"]!["settings"]!["propertyNames"]!["anyOf"]![0]!["enum"]!
            .AsArray()
            .Select(name => $"{name}");

        Assert.Empty(KnobTable.All.Select(knob => knob.Setting).OfType<string>().Except(accepted));
    }
}
