using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>
/// A real Kubernetes control plane with simulated nodes: it validates, admits, schedules, scales, and evicts objects,
/// but runs no containers and filters no packets. Tests are skipped if its tools are not on PATH.
/// </summary>
public sealed class SimulatedCluster : IAsyncLifetime
{
    public const string Namespace = "drone-delivery";
    public const int Nodes = 12; // The number for the largest stage.

    private static readonly string[] Tools = ["kubelab.sh", "keda.sh", "kubectl", "helm", "python3"];

    private static readonly string PodReadyAgain = Path.Combine(
        Repository.Root,
        "tests/Kubernetes.Tests/Support/pod-ready-again.yaml"
    );

    private readonly string _folder = Path.Combine(Path.GetTempPath(), $"cluster-{Guid.NewGuid():n}");
    private bool _runs;

    private Dictionary<string, string> Environment =>
        new()
        {
            ["KUBELAB_DIR"] = _folder,
            ["KUBELAB_PORT"] = $"{_port}",
            ["KUBECONFIG"] = Path.Combine(_folder, "admin.kubeconfig"),
            ["KUBELAB_KWOK_FLAGS"] = $"--config={PodReadyAgain}",
        };

    private readonly int _port = FreeRange(14);

    public async ValueTask InitializeAsync()
    {
        if (!Tools.All(Tool.IsInstalled))
            return;
        _runs = true;
        await LabAsync("up", $"{Nodes}");
        await LabAsync("crds");
        await KubectlAsync(["apply", "--filename", "k8s/namespace.yaml"]);
        await KubectlAsync(["apply", "--filename", "-"], Volumes());
    }

    public async ValueTask DisposeAsync()
    {
        if (!_runs)
            return;
        // The script stops the processes one by one and waits, which isn't necessary here.
        var started = Path.Combine(_folder, "pid");
        var processes = Directory.Exists(started)
            ? Directory.GetFiles(started).Select(file => File.ReadAllText(file).Trim())
            : [];
        await Tool.TryAsync("kill", ["-KILL", .. processes]);
        await LabAsync("down");
    }

    public static void Require() => Tool.Require(Tools);

    /// <summary>Installs or upgrades the chart, and waits until every pod is available.</summary>
    internal async Task InstallAsync(string overlay, params string[] more)
    {
        // A scaler owns the field that it has set, so an overlay that sets the number must take it back. Without
        // values, helm reuses the previous ones. The timeout is four minutes because other tests run whole applications
        // on the same cores.
        string[] upgrade =
        [
            "upgrade",
            "--install",
            "drone",
            HelmChart.Folder,
            "--namespace",
            Namespace,
            "--wait",
            "--timeout",
            "4m",
            "--force-conflicts",
            "--reset-values",
            "--no-hooks", // Jobs never complete, because no containers run.
        ];
        var result = await Tool.TryAsync(
            "helm",
            [.. upgrade, .. HelmChart.Values(overlay), .. more],
            environment: Environment
        );
        // Only events report why a pod is not admitted.
        Assert.True(result.ExitCode == 0, result.ExitCode == 0 ? "" : $"{result.Error}\n{await WarningsAsync()}");
    }

    internal Task<string> KubectlAsync(IEnumerable<string> arguments, string input = "") =>
        Tool.RunAsync("kubectl", arguments, input, Environment);

    internal Task<Result> TryKubectlAsync(IEnumerable<string> arguments, string input = "") =>
        Tool.TryAsync("kubectl", arguments, input, Environment);

    internal async Task<JsonNode> GetAsync(params string[] what) =>
        JsonNode.Parse(await KubectlAsync(["get", .. what, "--namespace", Namespace, "--output", "json"]))!;

    internal async Task<IReadOnlyList<JsonNode>> PodsAsync(string workload)
    {
        var pods = (await GetAsync("pods", "--selector", $"app.kubernetes.io/name={workload}"))["items"]!.AsArray();
        return [.. pods.OfType<JsonNode>().Where(pod => pod["metadata"]!["deletionTimestamp"] is null)];
    }

    /// <summary>Starts KEDA's operator as a process next to the cluster.</summary>
    internal async Task<IAsyncDisposable> StartKedaAsync()
    {
        await Tool.RunAsync("keda.sh", ["up"], environment: Environment);
        return new Keda(this);
    }

    private Task<string> WarningsAsync() =>
        KubectlAsync(["get", "events", "--namespace", Namespace, "--field-selector", "type=Warning"]);

    private Task<string> LabAsync(params string[] arguments) =>
        Tool.RunAsync("kubelab.sh", arguments, environment: Environment);

    // A real cluster creates volumes for claims. This one needs one for each.
    private static string Volumes() =>
        string.Concat(
            Enumerable
                .Range(1, 5)
                .Select(number =>
                    $$"""
                        ---
                        apiVersion: v1
                        kind: PersistentVolume
                        metadata: { name: volume-{{number}} }
                        spec: { capacity: { storage: 2Gi }, accessModes: [ReadWriteOnce], hostPath: { path: /nowhere } }

                        """
                )
        );

    // Below the ports that the lab's tests assign from 6,080 on: KEDA binds its ports only when its test starts.
    private static int FreeRange(int length)
    {
        for (var first = 2_000 + System.Environment.ProcessId % 100 * 20; ; first += length)
        {
            if (Enumerable.Range(first, length).All(Ports.IsFree))
                return first;
        }
    }

    private sealed class Keda(SimulatedCluster cluster) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync() =>
            await Tool.RunAsync("keda.sh", ["down"], environment: cluster.Environment);
    }
}
