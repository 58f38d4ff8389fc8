using System.Net;
using DroneDelivery.Lab.Load;

namespace DroneDelivery.Kubernetes.Tests.Application;

[Collection(RealProcesses.Name)]
[Trait("tier", "slow")]
public sealed class ApplicationStartTests
{
    [Fact]
    public async Task Published_services_run_with_the_environment_of_the_chart()
    {
        var manifests = await HelmChart.RenderAsync($"values-local.yaml {HelmChart.OptionalServices}");
        using var own = new OwnFolder();
        var published = own.Path;
        await PublishAsync(published);
        Assert.Empty(Directory.GetFiles(published, "*LabAgent*", SearchOption.AllDirectories));
        var before = Contents(published);
        await using var chart = await ChartOnThisMachine.StartAsync(manifests, project =>
            Path.Combine(published, project, $"DroneDelivery.{project}.dll")
        );

        foreach (var replica in chart.Replicas)
        {
            foreach (var probe in new[] { "startupProbe", "livenessProbe", "readinessProbe" })
            {
                var status = await chart.ProbeAsync(replica, probe);
                Assert.Equal((replica.Workload, probe, HttpStatusCode.OK), (replica.Workload, probe, status));
            }
        }

        await HelmTestAsync(chart);
        var journey = Assert.Single(await chart.SendAsync(1, callers: 1));
        Assert.NotNull(journey.Status);
        await Eventually.GetAsync(chart.TelemetryAsync, text =>
            text.Contains("\"ai.cloud.role\":\"workflow\"", StringComparison.Ordinal)
        );
        Assert.Equal(HttpStatusCode.Unauthorized, await SendAsync(chart, "not-a-subscription-key"));
        Assert.Equal(HttpStatusCode.Accepted, await SendAsync(chart, "local-subscription-key"));
        foreach (var replica in Enumerable.Reverse(chart.Replicas.ToList()))
            Assert.Equal((replica.Workload, 0), (replica.Workload, await chart.StopAsync(replica)));
        // The file system of the image is read-only: only volumes may be written.
        Assert.Equal(before, Contents(published));
    }

    /// <summary>Sends the request that the pod of <c>helm test</c> sends.</summary>
    private static async Task HelmTestAsync(ChartOnThisMachine chart)
    {
        Tool.Require("k6");
        var pod = Manifests.Find(await HelmChart.RenderAsync("values-local.yaml"), "Pod", "test-delivery")["spec"]![
            "containers"
        ]![0]!;
        var files = Path.Combine(Repository.Root, "helm", "drone-delivery", "files");
        var environment = Manifests
            .Environment(pod)
            .ToDictionary(
                variable => variable.Key,
                variable =>
                    variable
                        .Value.Replace("/files", files, StringComparison.Ordinal)
                        .Replace("http://ingestion", $"{chart.Url("ingestion")}".TrimEnd('/'), StringComparison.Ordinal)
            );
        var arguments = pod["args"]!
            .AsArray()
            .Select(part => $"{part}".Replace("/files", files, StringComparison.Ordinal));
        await Tool.RunAsync("k6", [.. arguments], environment: environment);
    }

    private static async Task<HttpStatusCode> SendAsync(ChartOnThisMachine chart, string key)
    {
        using var request = new HttpRequestMessage(
            HttpMethod.Post,
            new Uri(chart.Url("gateway"), "api/deliveryrequests")
        );
        request.Content = DeliveryRequests.Load().Create("gateway-1");
        request.Headers.Add("Ocp-Apim-Subscription-Key", key);
        using var answer = await chart.Http.SendAsync(request, TestContext.Current.CancellationToken);
        return answer.StatusCode;
    }

    // Publishes the files that an image contains in /app.
    private static async Task PublishAsync(string folder)
    {
        var all = Path.Combine(folder, "all.proj");
        var properties = $"Configuration=Release;NoBuild=true;PublishDir={folder}/%(Published.Filename)/";
        await File.WriteAllTextAsync(
            all,
            $"""
            <Project DefaultTargets="Publish">
              <ItemGroup>
                <Published Include="{Repository.Root}/services/*/*.csproj" />
                <Published Include="{Repository.Root}/local/ServiceBus/ServiceBus.csproj;{Repository.Root}/loadtest/Lab/Lab.csproj" />
              </ItemGroup>
              <Target Name="Publish">
                <MSBuild Projects="@(Published)" Targets="Publish" Properties="{properties}" />
              </Target>
            </Project>
            """,
            TestContext.Current.CancellationToken
        );
        await Tool.RunAsync(Repository.Dotnet, ["msbuild", all, "-verbosity:quiet", "-nodeReuse:false"]);
    }

    private static List<(string, DateTime)> Contents(string folder) =>
        [
            .. Directory
                .GetFiles(folder, "*", SearchOption.AllDirectories)
                .Order(StringComparer.Ordinal)
                .Select(path => (path, File.GetLastWriteTimeUtc(path))),
        ];
}

/// <summary>
/// Tests that start the whole application run one at a time, because the machine has few cores. Cluster tests mostly
/// wait and run in parallel.
/// </summary>
[CollectionDefinition(Name)]
public sealed class RealProcesses
{
    public const string Name = "real processes";
}
