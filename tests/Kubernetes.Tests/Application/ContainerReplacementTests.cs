using DroneDelivery.Lab.Cluster;
using DroneDelivery.Model.Figures;

namespace DroneDelivery.Kubernetes.Tests.Application;

/// <summary>The whole chart in containers: kills and an upgrade while deliveries arrive.</summary>
[Collection(RealProcesses.Name)]
[Trait("tier", "nightly")]
public sealed class ContainerReplacementTests
{
    private const int Deliveries = 2_000,
        Step = 200;

    private static readonly TimeSpan DrainLimit = TimeSpan.FromMinutes(5);

    private static readonly string[] Images =
    [
        "--set",
        "images.registry=localhost/,images.tag=containers",
        "--set",
        "backing.redis.image.repository=localhost/redis,backing.redis.image.tag=containers",
    ];

    private static readonly string[] Services = ["delivery", "dronescheduler", "ingestion", "package", "workflow"];

    [Fact]
    public async Task Deliveries_are_recorded_once_when_containers_are_replaced()
    {
        Tool.Require("podman", "runc");
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "Containers need root, so this was not checked.");
        Assert.SkipUnless(BaseImage.CanBeMade, "The base image needs Debian's x64 libraries, so this was not checked.");
        var manifests = await HelmChart.RenderAsync("values-local.yaml", Images);
        var tags = string.Join(',', Services.Select(service => $"services.{service}.image.tag=next"));
        var next = await HelmChart.RenderVersionAsync("9.9.9", "values-local.yaml", [.. Images, "--set", tags]);
        await using var application = await ApplicationInContainers.StartAsync(manifests);
        var client = new RetryingClient(application.Http, application.Url("ingestion"));

        var accepted = await client.SendAsync(Deliveries, until: ReplaceContainersAsync(application, next));

        var queue = await QueueAsync(application, queue => queue.Queued == 0);
        var failed = (await application.CountersAsync()).Queues[BrokerCounters.FailedQueueName];
        Assert.Equal((0L, 0L), (queue.DeadLetter, failed.Queued));
        Assert.Empty(await client.GetFaultsAsync(accepted));
        foreach (var workload in application.Pods.Keys)
            Assert.True(await application.IsRunningAsync(workload), workload);
    }

    private static async Task ReplaceContainersAsync(ApplicationInContainers application, string next)
    {
        await QueueAsync(application, queue => queue.Completed >= Step);
        // Without Package, requests wait in the queue, so the broker's volume must keep them.
        await application.KillAsync("package");
        await QueueAsync(application, queue => queue.Queued >= Step);
        await application.KillAsync("servicebus");
        await application.RestartAsync("servicebus");
        await application.RestartAsync("package");
        await QueueAsync(application, queue => queue.Completed >= 2 * Step);
        await application.KillAsync("redis");
        await application.RestartAsync("redis");
        await QueueAsync(application, queue => queue.Completed >= 3 * Step);

        var former = application.Pods.ToDictionary();
        var replaced = await application.UpgradeAsync(next);
        Assert.Equal(Services, replaced.Order(StringComparer.Ordinal));
        Assert.All(Services, service => Assert.NotEqual(former[service], application.Pods[service]));
        Assert.All(former.Keys.Except(Services), workload =>
            Assert.Equal(former[workload], application.Pods[workload])
        );
    }

    private static async Task<QueueCounters> QueueAsync(
        ApplicationInContainers application,
        Func<QueueCounters, bool> condition
    ) => await Eventually.GetAsync(async () => (await application.CountersAsync()).Queue, condition, DrainLimit);
}
