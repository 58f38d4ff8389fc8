namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>
/// Containers of a rendered chart, with the restrictions of their pods, on the network of this machine.
/// </summary>
internal sealed class Podman(string manifests) : IAsyncDisposable
{
    // crun, the default, isn't available everywhere, and systemd doesn't manage control groups on every machine.
    private static readonly string[] Options = ["--runtime", "runc", "--cgroup-manager", "cgroupfs"];

    private readonly string _folder = Directory.CreateTempSubdirectory("containers").FullName;
    private readonly List<string> _containers = [],
        _images = [];
    private string _manifests = manifests;

    /// <summary>Uses other manifests for the containers that start from now on.</summary>
    public void Apply(string manifests) => _manifests = manifests;

    /// <summary>Builds the image of a workload as skaffold does.</summary>
    public async Task BuildAsync(string workload, string project, string baseImage)
    {
        var image = ImageOf(workload);
        _images.Add(image);
        await Tool.RunAsync(
            "bash",
            ["build/skaffold-image", project],
            environment: new() { ["IMAGE"] = image, ["ContainerBaseImage"] = baseImage }
        );
    }

    /// <summary>Creates the image of a workload from a tar file of its root.</summary>
    public Task ImportAsync(string workload, string tar)
    {
        _images.Add(ImageOf(workload));
        return RunAsync(["import", tar, ImageOf(workload)]);
    }

    public Task TagAsync(string image, string workload)
    {
        _images.Add(ImageOf(workload));
        return RunAsync(["tag", image, ImageOf(workload)]);
    }

    /// <param name="environment">
    /// Variables that replace those of the chart: addresses, which a cluster resolves by DNS.
    /// </param>
    /// <param name="arguments">Arguments that replace those of the chart.</param>
    /// <returns>The name of the container.</returns>
    public async Task<string> RunAsync(
        string workload,
        Dictionary<string, string> environment,
        IEnumerable<string>? arguments = null
    )
    {
        var name = $"{workload}-{Guid.NewGuid():N}";
        var container = Manifests.Container(_manifests, workload);
        var variables = Manifests.Environment(container);
        foreach (var (key, value) in environment)
            variables[key] = value;
        _containers.Add(name);
        await RunAsync([
            "run",
            "--detach",
            "--name",
            name,
            "--network",
            "host",
            "--log-driver=k8s-file",
            // The defaults may exceed the limits of this machine, which even root can't raise inside a container.
            "--ulimit=nofile=4096:4096",
            "--ulimit=nproc=4096:4096",
            .. Restrictions(workload, container),
            .. await MountsAsync(workload, container),
            .. variables.SelectMany(variable => new[] { "--env", $"{variable.Key}={variable.Value}" }),
            ImageOf(workload),
            .. arguments ?? Manifests.Arguments(container),
        ]);
        return name;
    }

    /// <summary>Sends SIGTERM and waits, as a node does.</summary>
    /// <returns>The exit code.</returns>
    public async Task<int> StopAsync(string name, string workload)
    {
        var seconds = $"{Manifests.Pod(_manifests, workload)["terminationGracePeriodSeconds"]}";
        await RunAsync(["stop", "--time", seconds, name]);
        var exitCode = await RunAsync(["inspect", name, "--format", "{{.State.ExitCode}}"]);
        return int.Parse(exitCode, provider: null);
    }

    /// <summary>Sends SIGKILL and waits.</summary>
    public async Task KillAsync(string name)
    {
        await RunAsync(["kill", "--signal", "KILL", name]);
        await RunAsync(["wait", name]);
    }

    /// <summary>Runs a command inside a container, as an exec probe does.</summary>
    /// <returns><c>true</c> if the command succeeded.</returns>
    public async Task<bool> ExecAsync(string name, IEnumerable<string> command)
    {
        var result = await Tool.TryAsync("podman", [.. Options, "exec", name, .. command]);
        return result.ExitCode == 0;
    }

    public async Task<bool> IsRunningAsync(string name) =>
        (await RunAsync(["inspect", name, "--format", "{{.State.Running}}"])).Trim() == "true";

    public Task<string> LogAsync(string name) => RunAsync(["logs", name]);

    public async ValueTask DisposeAsync()
    {
        // Also after a canceled test.
        await CleanUpAsync(["rm", "--force", "--time", "0", "--ignore", .. _containers]);
        await CleanUpAsync(["rmi", "--force", "--ignore", .. _images]);
        Directory.Delete(_folder, recursive: true);
    }

    private static Task<Result> CleanUpAsync(string[] arguments) =>
        Tool.TryAsync("podman", [.. Options, .. arguments], cancellation: CancellationToken.None);

    private static Task<string> RunAsync(string[] arguments) => Tool.RunAsync("podman", [.. Options, .. arguments]);

    private string ImageOf(string workload) => Manifests.Image(_manifests, workload);

    private IEnumerable<string> Restrictions(string workload, JsonNode container)
    {
        var pod = Manifests.Pod(_manifests, workload)["securityContext"]!;
        var own = container["securityContext"]!;
        Assert.Equal(("true", "false"), ($"{own["readOnlyRootFilesystem"]}", $"{own["allowPrivilegeEscalation"]}"));
        var memory = $"{container["resources"]!["limits"]!["memory"]}";
        return
        [
            "--user",
            $"{pod["runAsUser"]}:{pod["runAsGroup"]}",
            "--read-only",
            "--read-only-tmpfs=false",
            "--security-opt",
            "no-new-privileges",
            .. own["capabilities"]!["drop"]!.AsArray().Select(capability => $"--cap-drop={capability}"),
            "--memory",
            memory.Replace("i", "", StringComparison.Ordinal),
        ];
    }

    private async Task<IReadOnlyList<string>> MountsAsync(string workload, JsonNode container)
    {
        var pod = Manifests.Pod(_manifests, workload);
        var volumes = pod["volumes"]!.AsArray().ToDictionary(volume => $"{volume!["name"]}", volume => volume!);
        var mounts = new List<string>();
        foreach (var mount in container["volumeMounts"]!.AsArray())
        {
            var path = $"{mount!["mountPath"]}";
            var volume = volumes[$"{mount["name"]}"];
            if (volume["persistentVolumeClaim"]?["claimName"] is { } claim)
                mounts.Add($"--volume={await ClaimAsync($"{claim}", pod)}:{path}");
            else if (volume["configMap"] is not null)
                mounts.Add($"--volume={FilesOf(workload)}:{path}:ro");
            else
                mounts.Add($"--mount=type=tmpfs,destination={path},tmpfs-mode=0777,U=true");
        }
        return mounts;
    }

    /// <summary>A folder that outlives its containers, with the owner that a kubelet gives a volume.</summary>
    private async Task<string> ClaimAsync(string claim, JsonNode pod)
    {
        var folder = Path.Combine(_folder, "claims", claim);
        var group = $"{pod["securityContext"]!["fsGroup"]}";
        await Tool.RunAsync("install", ["--directory", "--mode=2775", $"--group={group}", folder]);
        return folder;
    }

    private string FilesOf(string workload)
    {
        var folder = Directory.CreateDirectory(Path.Combine(_folder, workload)).FullName;
        foreach (var (name, content) in Manifests.Find(_manifests, "ConfigMap", workload)["data"]!.AsObject())
            File.WriteAllText(Path.Combine(folder, name), $"{content}");
        return folder;
    }
}
