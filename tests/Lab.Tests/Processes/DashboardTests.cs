using System.Net.Sockets;

namespace DroneDelivery.Lab.Tests.Processes;

public sealed class DashboardTests
{
    [Fact]
    [Trait("tier", "slow")]
    public async Task Every_service_sends_to_it_and_who_has_no_key_reads_nothing()
    {
        Assert.SkipUnless(AspireDashboard.IsInstalled, "The packages of services/AppHost were not restored.");
        var ports = new Ports(FreePorts.Offset());
        using var folder = new OwnFolder();
        await using var dashboard = await AspireDashboard.StartAsync(ports, folder.Path, Cancel);
        var plan = new ApplicationPlan(folder.Path, ports, KnobSet.Empty, DeclaredEnvironment.None, Seed: 1)
        {
            Otlp = dashboard.Settings,
        };
        await using var application = await Application.StartAsync(plan, new Progress<(int, int)>(), Cancel);
        using var http = Loopback.CreateClient();
        http.BaseAddress = dashboard.Address;
        Assert.Equal(HttpStatusCode.Unauthorized, (await http.GetAsync("api/telemetry/resources", Cancel)).StatusCode);
        http.DefaultRequestHeaders.Add("x-api-key", dashboard.Settings["OTEL_EXPORTER_OTLP_HEADERS"].Split('=')[1]);

        await UntilAsync(
            () => http.GetStringAsync("api/telemetry/resources", Cancel),
            known => Service.All.All(service => known.Contains($"\"{service.Name}\"", StringComparison.Ordinal))
        );
    }

    [Fact]
    public void No_offset_moves_a_port_beyond_the_last() =>
        Assert.InRange(new Ports(Ports.MaxOffset).DashboardOtlp, 1, IPEndPoint.MaxPort);

    [Fact]
    public void Every_service_of_a_run_is_told_where_to_send()
    {
        const string Endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT";
        var options = new RunOptions(RunOptions.Quick, KnobSet.Empty, null, "", new Ports(0), Seed: 1, Open: false)
        {
            Otlp = new Dictionary<string, string> { [Endpoint] = "http://127.0.0.1:1" },
        };
        var arguments = new RunArguments(["2"], options);

        var plan = arguments.PlanAt(ImitatedRun.Start).Played.Single().Application;

        Assert.All(plan.AllReplicas, it =>
            Assert.Equal("http://127.0.0.1:1", plan.Settings(it.Service, it.Replica)[Endpoint])
        );
    }

    [Fact]
    public async Task A_port_of_the_dashboard_that_is_in_use_is_named_before_anything_starts()
    {
        await using var lab = new LabProcess();
        var port = new Ports(lab.PortOffset).Dashboard;
        using var taken = new TcpListener(IPAddress.Loopback, port);
        taken.Start();

        var (exitCode, output, error) = await lab.RunAsync(
            "run",
            "2",
            "--dashboard",
            "--port-offset",
            $"{lab.PortOffset}"
        );

        Assert.Equal((1, ""), (exitCode, output));
        Assert.Contains($"Port {port}, for the dashboard, is in use.", error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Path.Combine(lab.Artifacts, "runs")));
    }
}
