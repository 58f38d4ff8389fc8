namespace DroneDelivery.Lab.Tests.Processes;

/// <summary>Services beside the five, which no stage has.</summary>
public sealed class ApplicationPlanTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("lab-test").FullName;

    private ApplicationPlan Five => new(_folder, new Ports(100), KnobSet.Empty, DeclaredEnvironment.None, Seed: 1);

    private ApplicationPlan All => Five with { With = Service.Optional };

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Without_them_nothing_of_them_is_started()
    {
        Assert.Equal(Service.All, Five.AllReplicas.Select(it => it.Service));
        Assert.Equal((7, 7, false), (Five.AllProcesses, Five.AllPorts.Count(), Five.NeedsAzurite));
        Assert.Equal(["delivery-requests", "delivery-requests-failed"], QueuesOf(Five));
        Assert.Equal(["delivery", "dronescheduler", "package"], AddressesOf(Five));
    }

    [Fact]
    public void With_them_each_has_one_replica_and_the_five_are_as_before()
    {
        Assert.Equal([.. Service.All, Service.Gateway, Service.Tracking], All.AllReplicas.Select(it => it.Service));
        Assert.Equal((10, true), (All.AllProcesses, All.NeedsAzurite));
        Assert.Equal(
            [("Azurite", 10102), ("Gateway 0", 5700), ("Tracking 0", 5800)], All.AllPorts.Except(Five.AllPorts).OrderBy(it => it.Name));
        foreach (var service in Service.All)
            Assert.Equal(Five.Settings(service, 0), All.Settings(service, 0));
        Assert.Equal(["delivery-requests", "delivery-requests-failed", "tracking"], QueuesOf(All));
        Assert.Equal(["delivery", "dronescheduler", "package"], AddressesOf(All));
    }

    [Fact]
    public void The_gateway_is_told_its_key_and_where_Ingestion_is()
    {
        var settings = (Five with { With = [Service.Gateway] }).Settings(Service.Gateway, 0);

        Assert.Equal("http://127.0.0.1:5700", settings["ASPNETCORE_URLS"]);
        Assert.Equal(ApplicationPlan.GatewayKey, settings["Gateway__Keys__local"]);
        Assert.Equal("http://127.0.0.1:5200/", settings["ReverseProxy__Clusters__ingestion__Destinations__0__Address"]);
        Assert.Equal("1", settings["Emulation__Seed"]);
    }

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

        Assert.Equal("elsewhere", plan.Settings(Service.Tracking, 0)["Tracking__ConnectionString"]);
        Assert.Contains(":10102/", All.Settings(Service.Tracking, 0)["Tracking__ConnectionString"], StringComparison.Ordinal);
        Assert.DoesNotContain("Tracking__ConnectionString", plan.Settings(Service.Delivery, 0).Keys);
    }

    private ApplicationPlan Overridden(string key, string value) => Five with
    {
        With = [Service.Tracking],
        Overrides = new Dictionary<string, IReadOnlyDictionary<string, string>>
        {
            ["tracking"] = new Dictionary<string, string> { [key] = value },
        },
    };

    private static IEnumerable<string> QueuesOf(ApplicationPlan plan)
    {
        Directory.CreateDirectory(plan.Data);
        using var config = JsonDocument.Parse(File.ReadAllText(BrokerConfig.Write(plan)));
        var queues = config.RootElement.GetProperty("UserConfig").GetProperty("Namespaces")[0].GetProperty("Queues");
        return [.. queues.EnumerateArray().Select(queue => queue.GetProperty("Name").GetString()!)];
    }

    private static IEnumerable<string> AddressesOf(ApplicationPlan plan)
    {
        Directory.CreateDirectory(plan.Data);
        BackendAddresses.Write(plan);
        return Directory.GetFiles(plan.Data, "*.addresses").Select(file => Path.GetFileNameWithoutExtension(file)!).Order();
    }
}
