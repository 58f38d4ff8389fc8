using Azure.Messaging.ServiceBus;
using DroneDelivery.Testing;

namespace DroneDelivery.Kubernetes.Tests.Cluster;

[Trait("tier", "slow")]
public sealed class ClusterAcceptanceTests(SimulatedCluster cluster) : IClassFixture<SimulatedCluster>
{
    // Like Istio's template for the pods of a Gateway: everything that "restricted" requires except a seccomp profile.
    private const string PodOfAGateway = """
        apiVersion: v1
        kind: Pod
        metadata: { name: gateway }
        spec:
          securityContext: { sysctls: [{ name: net.ipv4.ip_unprivileged_port_start, value: "0" }] }
          containers:
            - name: istio-proxy
              image: example/proxy
              resources: { requests: { cpu: 100m, memory: 128Mi }, limits: { cpu: "2", memory: 1Gi } }
              securityContext:
                runAsUser: 1337
                runAsNonRoot: true
                allowPrivilegeEscalation: false
                readOnlyRootFilesystem: true
                capabilities: { drop: [ALL] }
        """;

    private const string QueueName = "delivery-requests";

    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(120);

    public static TheoryData<string> Overlays => HelmChart.OverlaysWithDifferentPods;

    [Theory, MemberData(nameof(Overlays))]
    public async Task Every_pod_of_every_overlay_is_admitted_and_scheduled(string overlay)
    {
        SimulatedCluster.Require();
        await cluster.InstallAsync(overlay);

        // helm waits for the current replicas. A scaler may then raise their number to its minimum.
        await Eventually.GetAsync(
            async () => (await cluster.GetAsync("deployments"))["items"]!.AsArray(),
            deployments =>
                deployments.All(it => Number(it!, "spec", "replicas") == Number(it!, "status", "availableReplicas")),
            MaxWait
        );
        var workflow = await cluster.PodsAsync("workflow");
        var nodes = workflow.Select(pod => pod["spec"]!["nodeName"]!.ToString()).Distinct().Count();
        Assert.Equal(workflow.Count, nodes); // There are more nodes than replicas.
        var package = await cluster.PodsAsync("package");
        if (package[0]["spec"]!["affinity"] is not null)
            Assert.Single(package.Select(pod => pod["spec"]!["nodeName"]!.ToString()).Distinct());
    }

    [Fact]
    public async Task Running_replicas_survive_when_scalers_are_enabled()
    {
        SimulatedCluster.Require();
        await cluster.InstallAsync("values-stage-6.yaml");
        var before = await ReplicasOfServicesAsync();

        await cluster.InstallAsync("values-azure.yaml");

        Assert.Equal(before, await ReplicasOfServicesAsync());
    }

    [Fact]
    public async Task Pod_becomes_ready_again_after_its_node_was_late()
    {
        SimulatedCluster.Require();
        await cluster.InstallAsync("");

        // The node controller does this to pods of a node without a heartbeat.
        const string NotReady = """{ "status": { "conditions": [{ "type": "Ready", "status": "False" }] } }""";
        string[] patch = ["patch", "pod", "--subresource=status", "--namespace", SimulatedCluster.Namespace];
        foreach (var pod in await cluster.PodsAsync("delivery"))
        {
            var name = pod["metadata"]!["name"]!.ToString();
            await cluster.KubectlAsync([.. patch, name, "--patch", NotReady]);
        }

        await Eventually.GetAsync(
            () => cluster.PodsAsync("delivery"),
            pods => pods.All(IsReady),
            MaxWait,
            "each pod is ready"
        );
    }

    [Fact]
    public async Task Gateway_pods_are_admitted_only_in_their_own_namespace()
    {
        SimulatedCluster.Require();
        var manifests = await HelmChart.RenderAsync("values-azure.yaml values-production.yaml");
        var gateway = Manifests.Find(manifests, "Gateway", "drone-delivery")["metadata"]!["namespace"]!.ToString();

        var admitted = await cluster.TryKubectlAsync(
            ["create", "--dry-run=server", "--namespace", gateway, "--filename", "-"],
            PodOfAGateway
        );
        var refused = await cluster.TryKubectlAsync(
            ["create", "--dry-run=server", "--namespace", SimulatedCluster.Namespace, "--filename", "-"],
            PodOfAGateway
        );

        Assert.True(admitted.ExitCode == 0, admitted.Error);
        Assert.NotEqual(0, refused.ExitCode);
        Assert.Matches("violates PodSecurity.*seccompProfile", refused.Error);
    }

    [Fact]
    public async Task Load_test_is_admitted_in_the_namespace_of_the_application()
    {
        SimulatedCluster.Require();
        await cluster.InstallAsync("");

        await cluster.KubectlAsync(["apply", "--filename", "k8s/load-test.yaml"]);
        await cluster.KubectlAsync([
            "wait",
            "--for=condition=complete",
            "job/load-test",
            "--namespace",
            SimulatedCluster.Namespace,
            "--timeout=4m",
        ]);
        await cluster.KubectlAsync(["delete", "--filename", "k8s/load-test.yaml"]);
    }

    [Fact]
    public async Task Only_one_replica_of_a_service_can_be_evicted_at_once()
    {
        SimulatedCluster.Require();
        await cluster.InstallAsync("");
        // Pods of the previous installation are gone once there are two.
        var pods = await Eventually.GetAsync(() => cluster.PodsAsync("ingestion"), there => there.Count == 2, MaxWait);
        // Without an available node, the evicted replica stays pending, as it does temporarily in a real drain.
        await cluster.KubectlAsync(["cordon", "--selector", "type=kwok"]);
        try
        {
            var first = await EvictAsync(pods[0]);
            var second = await EvictAsync(pods[1]);

            Assert.True(first.ExitCode == 0, first.Error);
            Assert.Contains("disruption budget", second.Error, StringComparison.Ordinal);
        }
        finally
        {
            await cluster.KubectlAsync(["uncordon", "--selector", "type=kwok"]);
        }
    }

    [Fact]
    public async Task KEDA_reads_the_local_broker_and_scales_Workflow_up_and_down()
    {
        SimulatedCluster.Require();
        await using var broker = await BrokerFixture.StartAsync(
            cancellationToken: TestContext.Current.CancellationToken
        );
        var queue = broker.Broker.Entities.Get(QueueName);
        broker.Broker.Entities.Update(queue.Options with { LockDuration = TimeSpan.FromMinutes(5) });
        // KEDA starts after the chart: helm waits until a scaler that KEDA knows is ready, and this one isn't until it
        // gets the address of a real broker.
        await cluster.InstallAsync("", "--set", "autoscaling.enabled=true");
        await using var keda = await cluster.StartKedaAsync();
        try
        {
            await ScaleAsync(broker);
        }
        finally
        {
            // KEDA must confirm the deletion. Without the operator, the next overlay would wait indefinitely.
            await cluster.KubectlAsync([
                "delete",
                "scaledobject",
                "workflow",
                "--namespace",
                SimulatedCluster.Namespace,
                "--timeout=4m",
            ]);
        }
    }

    private async Task ScaleAsync(BrokerFixture broker)
    {
        var patch = await OfThisMachineAsync(broker);
        await cluster.KubectlAsync([
            "patch",
            "scaledobject",
            "workflow",
            "--namespace",
            SimulatedCluster.Namespace,
            "--type=merge",
            "--patch",
            patch,
        ]);

        await using var client = new ServiceBusClient(broker.ConnectionString);
        await using var sender = client.CreateSender(QueueName);
        var messages = Enumerable.Range(0, 450).Select(number => new ServiceBusMessage($"{number}"));
        await sender.SendMessagesAsync(messages, TestContext.Current.CancellationToken);
        // Most messages are in buffers with their locks running. They require replicas as much as waiting ones do.
        await using var receiver = client.CreateReceiver(QueueName);
        var held = new List<ServiceBusReceivedMessage>();
        while (held.Count < 300)
        {
            held.AddRange(
                await receiver.ReceiveMessagesAsync(
                    300 - held.Count,
                    cancellationToken: TestContext.Current.CancellationToken
                )
            );
        }

        await ReplicasAsync(5);
        await Task.WhenAll(
            held.Select(message => receiver.CompleteMessageAsync(message, TestContext.Current.CancellationToken))
        );
        using var http = broker.CreateHttpClient();
        using var purged = await http.PostAsync(
            new Uri(broker.Broker.Address, $"{QueueName}/$purge"),
            null,
            TestContext.Current.CancellationToken
        );
        await ReplicasAsync(2);
    }

    /// <summary>Returns the chart's own trigger with the address of a real broker and without delays.</summary>
    private async Task<string> OfThisMachineAsync(BrokerFixture broker)
    {
        var trigger = (await cluster.GetAsync("scaledobject", "workflow"))["spec"]!["triggers"]![0]!.DeepClone();
        var url = trigger["metadata"]!["url"]!.ToString();
        Assert.StartsWith("http://servicebus.drone-delivery:5672/", url, StringComparison.Ordinal);
        trigger["metadata"]!["url"] = url.Replace(
            "http://servicebus.drone-delivery:5672/",
            $"http://127.0.0.1:{broker.Broker.Address.Port}/",
            StringComparison.Ordinal
        );
        const string AtOnce =
            """{ "stabilizationWindowSeconds": 0, "policies": [{ "type": "Pods", "value": 100, "periodSeconds": 1 }] }""";
        const string Advanced =
            $$"""{ "horizontalPodAutoscalerConfig": { "behavior": { "scaleUp": {{AtOnce}}, "scaleDown": {{AtOnce}} } } }""";
        return $$"""{ "spec": { "pollingInterval": 1, "advanced": {{Advanced}}, "triggers": [{{trigger.ToJsonString()}}] } }""";
    }

    private async Task<IReadOnlyList<(string Service, int Replicas)>> ReplicasOfServicesAsync()
    {
        var replicas = new List<(string Service, int Replicas)>();
        foreach (var service in new[] { "ingestion", "workflow", "package", "dronescheduler", "delivery" })
            replicas.Add((service, Number(await cluster.GetAsync("deployment", service), "spec", "replicas")));
        return replicas;
    }

    private Task<int> ReplicasAsync(int expected) =>
        Eventually.GetAsync(
            async () => Number(await cluster.GetAsync("deployment", "workflow"), "spec", "replicas"),
            replicas => replicas == expected,
            MaxWait,
            $"replicas == {expected}"
        );

    private async Task<Result> EvictAsync(JsonNode pod)
    {
        var name = pod["metadata"]!["name"]!.ToString();
        var metadata = $$"""{ "name": "{{name}}", "namespace": "{{SimulatedCluster.Namespace}}" }""";
        var eviction = $$"""{ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {{metadata}} }""";
        var path = $"/api/v1/namespaces/{SimulatedCluster.Namespace}/pods/{name}/eviction";
        return await cluster.TryKubectlAsync(["create", "--raw", path, "--filename", "-"], eviction);
    }

    private static bool IsReady(JsonNode pod) =>
        pod["status"]!["conditions"]!
            .AsArray()
            .Any(condition => $"{condition!["type"]}" == "Ready" && $"{condition["status"]}" == "True");

    private static int Number(JsonNode node, string part, string key) => node[part]![key]?.GetValue<int>() ?? 0;
}
