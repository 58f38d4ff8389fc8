namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>Containers of a rendered chart, with the restrictions of their pods, on the network of this machine.</summary>
internal sealed class Podman(string manifests) : IAsyncDisposable
{
    // crun, the default, isn't everywhere, and systemd doesn't manage the groups of every machine.
    private static readonly string[] Options = ["--runtime", "runc", "--cgroup-manager", "cgroupfs"];

    private readonly string _folder = Directory.CreateTempSubdirectory("containers").FullName;
    private readonly List<string> _containers = [],
        _images = [];

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

    /// <param name="environment">Variables in place of those of the chart: addresses, which a cluster resolves by DNS.</param>
    /// <returns>The name of the container.</returns>
    public async Task<string> RunAsync(string workload, Dictionary<string, string> environment)
    {
        var name = $"{workload}-{Guid.NewGuid():N}";
        var container = Manifests.Container(manifests, workload);
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
            // The defaults may be above the limits of this machine, which not even root can raise inside of a container.
            "--ulimit=nofile=4096:4096",
            "--ulimit=nproc=4096:4096",
            .. Restrictions(workload, container),
            .. Mounts(workload, container),
            .. variables.SelectMany(variable => new[] { "--env", $"{variable.Key}={variable.Value}" }),
            ImageOf(workload),
        ]);
        return name;
    }

    /// <summary>Sends SIGTERM and waits, as a node does.</summary>
    /// <returns>The exit code.</returns>
    public async Task<int> StopAsync(string name, string workload)
    {
        var seconds = $"{Manifests.Pod(manifests, workload)["terminationGracePeriodSeconds"]}";
        await RunAsync(["stop", "--time", seconds, name]);
        var exitCode = await RunAsync(["inspect", name, "--format", "{{.State.ExitCode}}"]);
        return int.Parse(exitCode, provider: null);
    }

    public Task<string> LogAsync(string name) => RunAsync(["logs", name]);

    public async ValueTask DisposeAsync()
    {
        foreach (var name in _containers)
            await Tool.TryAsync("podman", [.. Options, "rm", "--force", "--time", "0", "--ignore", name]);
        foreach (var image in _images)
            await Tool.TryAsync("podman", [.. Options, "rmi", "--force", "--ignore", image]);
        Directory.Delete(_folder, recursive: true);
    }

    private static Task<string> RunAsync(string[] arguments) => Tool.RunAsync("podman", [.. Options, .. arguments]);

    private string ImageOf(string workload) => $"{Manifests.Container(manifests, workload)["image"]}";

    private IEnumerable<string> Restrictions(string workload, JsonNode container)
    {
        var pod = Manifests.Pod(manifests, workload)["securityContext"]!;
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

    private IEnumerable<string> Mounts(string workload, JsonNode container)
    {
        foreach (var mount in container["volumeMounts"]!.AsArray())
        {
            var path = $"{mount!["mountPath"]}";
            if ($"{mount["name"]}" == "files")
                yield return $"--volume={FilesOf(workload)}:{path}:ro";
            else
                yield return $"--mount=type=tmpfs,destination={path},tmpfs-mode=0777,U=true";
        }
    }

    private string FilesOf(string workload)
    {
        var folder = Directory.CreateDirectory(Path.Combine(_folder, workload)).FullName;
        foreach (var (name, content) in Manifests.Find(manifests, "ConfigMap", workload)["data"]!.AsObject())
            File.WriteAllText(Path.Combine(folder, name), $"{content}");
        return folder;
    }
}
