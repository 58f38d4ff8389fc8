using System.Net;
using DroneDelivery.Kubernetes.Tests.Chart;
using DroneDelivery.Kubernetes.Tests.Tools;
using DroneDelivery.Lab;

namespace DroneDelivery.Kubernetes.Tests.Application;

[Collection(RealProcesses.Name)]
public sealed class TheApplicationStartsAsTheChartSays
{
    [Fact]
    public async Task The_published_services_start_with_the_chart_s_environment_answer_its_probes_and_deliver()
    {
        var manifests = await HelmChart.RenderAsync("values-local.yaml");
        var published = await PublishAsync();
        try
        {
            var before = Contents(published);
            await using var chart = await ChartOnThisMachine.StartAsync(
                manifests, project => Path.Combine(published, project, $"DroneDelivery.{project}.dll"));

            foreach (var replica in chart.Replicas)
            {
                foreach (var probe in new[] { "startupProbe", "livenessProbe", "readinessProbe" })
                {
                    var status = await chart.ProbeAsync(replica, probe);
                    Assert.Equal((replica.Workload, probe, HttpStatusCode.OK), (replica.Workload, probe, status));
                }
            }

            var journey = Assert.Single(await chart.SendAsync(1, callers: 1));
            Assert.NotNull(journey.Status);
            Assert.Contains("\"ai.cloud.role\":\"workflow\"", await chart.TelemetryAsync(until: "workflow"), StringComparison.Ordinal);
            foreach (var replica in Enumerable.Reverse(chart.Replicas.ToList()))
                Assert.Equal((replica.Workload, 0), (replica.Workload, await chart.StopAsync(replica)));
            // The image's file system is read-only: nothing may have been written beside the volumes.
            Assert.Equal(before, Contents(published));
        }
        finally
        {
            Directory.Delete(published, recursive: true);
        }
    }

    [Fact]
    public async Task A_store_that_goes_away_takes_no_replica_out_of_its_service()
    {
        await using var chart = await ChartOnThisMachine.StartAsync(await HelmChart.RenderAsync(), Repository.Assembly);
        var delivery = chart.Replicas.Single(replica => replica.Workload == "delivery");

        await chart.Redis.StopAsync();

        using var answer = await chart.Http.GetAsync(
            new Uri(chart.Url("delivery"), "api/deliveries/any"), TestContext.Current.CancellationToken);
        Assert.Equal(HttpStatusCode.ServiceUnavailable, answer.StatusCode);
        Assert.Equal(HttpStatusCode.OK, await chart.ProbeAsync(delivery, "readinessProbe"));
        Assert.Equal(HttpStatusCode.OK, await chart.ProbeAsync(delivery, "livenessProbe"));
    }

    // What an image gets at /app.
    private static async Task<string> PublishAsync()
    {
        var folder = Directory.CreateTempSubdirectory("published").FullName;
        var all = Path.Combine(folder, "all.proj");
        var properties = $"Configuration=Release;NoBuild=true;PublishDir={folder}/%(Published.Filename)/";
        await File.WriteAllTextAsync(all, $"""
            <Project DefaultTargets="Publish">
              <ItemGroup><Published Include="{Repository.Root}/services/*/*.csproj;{Repository.Root}/loadtest/Lab/Lab.csproj" /></ItemGroup>
              <Target Name="Publish">
                <MSBuild Projects="@(Published)" Targets="Publish" Properties="{properties}" />
              </Target>
            </Project>
            """, TestContext.Current.CancellationToken);
        await Tool.RunAsync(Repository.Dotnet, ["msbuild", all, "-verbosity:quiet", "-nodeReuse:false"]);
        return folder;
    }

    private static List<(string, DateTime)> Contents(string folder) =>
    [
        .. Directory.GetFiles(folder, "*", SearchOption.AllDirectories)
            .Order(StringComparer.Ordinal)
            .Select(path => (path, File.GetLastWriteTimeUtc(path))),
    ];
}

/// <summary>
/// Tests that start the whole application do so one after the other: the machine has few cores. Those of the cluster mostly wait,
/// beside them.
/// </summary>
[CollectionDefinition(Name)]
public sealed class RealProcesses
{
    public const string Name = "real processes";
}
