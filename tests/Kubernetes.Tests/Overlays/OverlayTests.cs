using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Kubernetes.Tests.Overlays;

public sealed class OverlayTests
{
    [Fact]
    public void Chart_accepts_the_setting_of_every_knob()
    {
        var schema = JsonNode.Parse(Read("helm/drone-delivery/values.schema.json"))!;
        var accepted = schema["$defs"]!["settings"]!["propertyNames"]!["anyOf"]![0]!["enum"]!
            .AsArray()
            .Select(name => $"{name}");

        Assert.Empty(KnobTable.All.Select(knob => knob.Setting).OfType<string>().Except(accepted));
    }
}
