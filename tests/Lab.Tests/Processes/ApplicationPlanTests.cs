namespace DroneDelivery.Lab.Tests.Processes;

/// <summary>Services beside the five, which no stage has.</summary>
public sealed class ApplicationPlanTests
{
    private static readonly ApplicationPlan Five = new("", new Ports(100), KnobSet.Empty, DeclaredEnvironment.None, Seed: 1);

    [Theory]
    [InlineData("Insert", true)]
    [InlineData("Queue", true)]
    [InlineData("None", false)]
    [InlineData("none", false)]
    public void Azurite_is_started_for_a_writer_that_stores(string writer, bool isNeeded)
    {
        var plan = Overridden("Tracking:Writer", writer);

        Assert.Equal((isNeeded, isNeeded ? 9 : 8), (plan.NeedsAzurite, plan.AllProcesses));
        Assert.Equal(isNeeded, plan.AllPorts.Any(it => it.Name == "Azurite"));
        Assert.Equal(writer, plan.Settings(Service.Tracking, 0)["Tracking__Writer"]);
    }

    [Fact]
    public void An_override_wins_and_is_for_its_service_alone()
    {
        var plan = Overridden("Tracking:ConnectionString", "elsewhere");
        var own = (Five with { With = [Service.Tracking] }).Settings(Service.Tracking, 0);

        Assert.Equal("elsewhere", plan.Settings(Service.Tracking, 0)["Tracking__ConnectionString"]);
        Assert.Contains(":10102/", own["Tracking__ConnectionString"], StringComparison.Ordinal);
        Assert.DoesNotContain("Tracking__ConnectionString", plan.Settings(Service.Delivery, 0).Keys);
    }

    private static ApplicationPlan Overridden(string key, string value) => Five with
    {
        With = [Service.Tracking],
        Overrides = new Dictionary<string, IReadOnlyDictionary<string, string>>
        {
            ["tracking"] = new Dictionary<string, string> { [key] = value },
        },
    };
}
