using System.Text.RegularExpressions;

namespace DroneDelivery.Kubernetes.Tests.Agreement;

/// <summary>Values that are in two files because neither can read the other.</summary>
public sealed class SameValueTests
{
    private static readonly JsonNode Chart = HelmChart.OwnValues;

    private static readonly IReadOnlyList<JsonNode> Objects =
    [
        .. Directory
            .GetFiles(Path.Combine(Repository.Root, "k8s"), "*.yaml")
            .SelectMany(path => Yaml.Documents(File.ReadAllText(path))),
    ];

    private static IEnumerable<string> Workflows =>
        Directory.GetFiles(Path.Combine(Repository.Root, ".github", "workflows")).Select(File.ReadAllText);

    [Fact]
    public async Task Application_and_gateway_have_one_namespace_each()
    {
        var skaffold = SkaffoldFile.With("gateway");
        var gateway = $"{Chart["edge"]!["gateway"]!["namespace"]}";
        var made = Objects.Where(it => $"{it["kind"]}" == "Namespace").Select(it => $"{it["metadata"]!["name"]}");

        Assert.Equal([SimulatedCluster.Namespace, gateway], made);
        var used = Objects
            .Select(it => it["metadata"]!["namespace"])
            .OfType<JsonNode>()
            .Concat(skaffold.PortForward.Select(it => it["namespace"]!))
            .Append(skaffold.Release["namespace"]!)
            .Append((await BicepTemplate.VariablesAsync())["namespace"]!);
        Assert.All(used, it => Assert.Equal(SimulatedCluster.Namespace, $"{it}"));
        var commands = Workflows
            .Concat([Read("infra/connect"), Read("k8s/load-test")])
            .SelectMany(text => Regex.Matches(text, @"--namespace ([\w-]+)"));
        Assert.All(commands, it =>
            Assert.Contains(it.Groups[1].Value, new[] { SimulatedCluster.Namespace, "default", "kube-system" })
        );
        var releases = Workflows.SelectMany(text => Regex.Matches(text, @"helm (?:test|uninstall) (\w+)"));
        Assert.All(releases, it => Assert.Equal($"{skaffold.Release["name"]}", it.Groups[1].Value));
    }

    [Fact]
    public void Forwarded_port_matches_the_notes_and_the_chart()
    {
        var forwarded = SkaffoldFile
            .With("gateway")
            .PortForward.ToDictionary(it => $"{it["resourceName"]}", it => ($"{it["port"]}", $"{it["localPort"]}"));

        var named = Regex
            .Matches(Read($"{HelmChart.Folder}/templates/NOTES.txt"), @"\b5\d00\b")
            .Select(match => match.Value)
            .Distinct();
        string[] services = ["ingestion", "gateway"];
        Assert.Equal(services.Select(name => forwarded[name].Item2).Order(), named.Order());
        foreach (var name in forwarded.Keys.Except(services))
        {
            var port = $"{Chart["backing"]![name]!["port"]}";
            Assert.Equal((port, port), forwarded[name]);
        }
    }

    [Fact]
    public void Load_test_and_acceptance_key_match_the_chart()
    {
        var pod = Objects.Single(it => $"{it["kind"]}" == "Job")["spec"]!["template"]!;

        Assert.Equal($"{Chart["pod"]!["userId"]}", $"{pod["spec"]!["securityContext"]!["runAsUser"]}");
        var label = Assert.Single(pod["metadata"]!["labels"]!.AsObject(), it =>
            it.Key.EndsWith("/client", StringComparison.Ordinal)
        );
        var policy = Read($"{HelmChart.Folder}/templates/networkpolicy.yaml");
        Assert.Contains($"{label.Key}: \"{label.Value}\" }}", policy, StringComparison.Ordinal);
        var secret = $"\"name\":\"{Chart["acceptance"]!["keySecret"]}\"}},\"stringData\":{{\"AcceptanceKey\":";
        Assert.Contains(secret, Read("infra/connect"), StringComparison.Ordinal);
        Assert.Contains("\"AcceptanceKey\": ", Read("services/Ingestion/appsettings.json"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Versions_that_appear_twice_are_equal()
    {
        var postgres = await BicepTemplate.PropertiesAsync("Microsoft.DBforPostgreSQL/flexibleServers");
        var oldest = Regex.Match(Read("docs/how-to/kubernetes.md"), @"Kubernetes (\S+) or later").Groups[1].Value;

        Assert.Contains($"/postgres:{postgres["version"]}-", Read("infra/connect"), StringComparison.Ordinal);
        Assert.Contains(
            $"kubeVersion: \">={oldest}.0-0\"",
            Read($"{HelmChart.Folder}/Chart.yaml"),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Each_service_gets_its_own_identity_and_finds_Redis()
    {
        var services = (await BicepTemplate.VariablesAsync())["services"]!.AsArray().Select(name => $"{name}").ToList();
        var clients = (await BicepTemplate.OutputAsync("CHART_VALUES"))["services"]!.AsObject();
        var redis = await BicepTemplate.PropertiesAsync("Microsoft.Cache/redisEnterprise/databases");
        var azure = await HelmChart.RenderAsync("values-azure.yaml");

        Assert.Equal(services, clients.Select(it => it.Key));
        Assert.All(services.Index(), it =>
            Assert.Contains(
                $"'identities[{{0}}]', {it.Index})",
                $"{clients[it.Item]!["clientId"]}",
                StringComparison.Ordinal
            )
        );
        // It uses no store.
        Assert.Equal(["gateway"], Chart["services"]!.AsObject().Select(it => it.Key).Except(services));
        var address = Manifests.Environment(Manifests.Container(azure, "delivery"))["Redis__ConnectionString"];
        Assert.Contains($":{redis["port"]},", address, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Workflows_name_objects_of_the_chart()
    {
        var volumes = Yaml.Documents(await HelmChart.RenderAsync())
            .Where(it => $"{it["kind"]}" == "PersistentVolumeClaim")
            .Select(it => $"{it["metadata"]!["name"]}");
        Assert.Contains(
            $"get persistentvolumeclaim {string.Join(' ', volumes)}\n",
            Read(".github/workflows/cluster.yml"),
            StringComparison.Ordinal
        );

        var replaced = Regex.Match(Read(".github/workflows/release.yml"), @"sed -i ""s\|([^|]+)\|").Groups[1].Value;
        Assert.Equal($"registry: {Chart["images"]!["registry"]}", replaced);
        Assert.Contains(
            $"PLATFORMS=linux/{Chart["images"]!["architecture"]}\n",
            Read(".github/workflows/release.yml"),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public void Dependabot_scans_existing_folders()
    {
        var updates = Yaml.Documents(Read(".github/dependabot.yml")).Single()["updates"]!.AsArray();
        var folders = updates.SelectMany(it =>
            it!["directories"]?.AsArray().Select(folder => $"{folder}") ?? [$"{it["directory"]}"]
        );

        Assert.All(folders, it =>
            Assert.NotEmpty(Directory.GetFileSystemEntries(Repository.Root, it is "/" ? "*" : it[1..]))
        );
    }

    [Fact]
    public void Autoscaling_limit_and_quota_match_the_largest_stage()
    {
        var stages = Directory
            .GetFiles(Path.Combine(Repository.Root, HelmChart.Folder), "values-stage-*.yaml")
            .Select(file => Yaml.Documents(File.ReadAllText(file)).Single())
            .ToList();
        int Largest(Func<JsonNode, JsonNode> number) =>
            stages.Max(stage => int.Parse($"{number(stage)}", provider: null));

        Assert.Equal(
            $"{Chart["services"]!["workflow"]!["autoscaling"]!["max"]}",
            $"{Largest(it => it["services"]!["workflow"]!["replicas"]!)}"
        );
        Assert.Equal(
            $"{Chart["defaults"]!["autoscaling"]!["max"]}",
            $"{Largest(it => it["services"]!["delivery"]!["replicas"]!)}"
        );
        Assert.Equal(SimulatedCluster.Nodes, Largest(it => it["nodes"]!["count"]!));
        var cpu = int.Parse($"{stages[0]["nodes"]!["cpu"]}", provider: null);
        int Quota(int nodes) => 2 * 4 + nodes * cpu; // Two system nodes with 4 vCPUs.
        var fewest = stages.Min(stage => int.Parse($"{stage["nodes"]!["count"]}", provider: null));
        Assert.Contains(
            $"| {fewest} nodes D{cpu}s v5 |",
            Read("docs/reference/azure-resources.md"),
            StringComparison.Ordinal
        );
        var defaults = Read("infra/main.bicepparam");
        Assert.Contains($"'NODE_COUNT', '{fewest}'", defaults, StringComparison.Ordinal);
        Assert.Contains($"'NODE_SIZE', 'Standard_D{cpu}s_v5'", defaults, StringComparison.Ordinal);
        var quota =
            $"a quota of {Quota(fewest)} vCPUs of the DSv5 family, or {Quota(SimulatedCluster.Nodes)} for stage 6";
        Assert.Contains(quota, Read("docs/how-to/azure.md"), StringComparison.Ordinal);
    }

    [Fact]
    public void Actions_are_pinned_and_every_image_is_released()
    {
        var actions = Workflows.SelectMany(text => Regex.Matches(text, @"uses: ([\w./-]+)@(.+)")).ToList();

        Assert.All(actions, it => Assert.Matches("^[0-9a-f]{40} # v[0-9.]+$", it.Groups[2].Value));
        Assert.All(actions.GroupBy(it => it.Groups[1].Value, it => it.Groups[2].Value), it =>
            Assert.Single(it.Distinct())
        );
        var release = Yaml.Documents(Read(".github/workflows/release.yml")).Single();
        var released = release["jobs"]!["image"]!["strategy"]!["matrix"]!["project"]!.AsArray().Select(it => $"{it}");
        var built = SkaffoldFile.With("gateway").Artifacts.Select(SkaffoldFile.ProjectOf);
        Assert.Equal(built.Order(StringComparer.Ordinal), released.Order(StringComparer.Ordinal));
    }
}
