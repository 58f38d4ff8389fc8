using System.Text.RegularExpressions;

namespace DroneDelivery.Kubernetes.Tests.Chart;

public sealed class ChartTests
{
    /// <summary>Overlays with the same values get the same result from helm.</summary>
    public static TheoryData<string> Overlays => HelmChart.DifferentOverlays;

    [Fact]
    public async Task Helm_lint_finds_no_errors()
    {
        Tool.Require("helm");
        await Tool.RunAsync("helm", ["lint", "--strict", HelmChart.Folder]);
    }

    [Fact]
    public async Task Unit_tests_of_the_chart_pass()
    {
        Tool.Require("helm-unittest");
        var output = await Tool.RunAsync("helm-unittest", [HelmChart.Folder]);

        Assert.True(
            int.Parse(Regex.Match(output, @"Tests:\s+(\d+) passed, \1 total").Groups[1].Value, provider: null) >= 100,
            output
        );
    }

    [Theory, MemberData(nameof(Overlays))]
    public async Task Objects_have_no_critical_weakness(string overlay)
    {
        Tool.Require("kube-score");
        // Two intended exceptions: a CPU limit would throttle measurements (see values.yaml), and an image with a fixed
        // tag need not be pulled each time.
        string[] arguments =
        [
            "score",
            "--ignore-container-cpu-limit",
            "--ignore-test",
            "container-image-pull-policy",
            "--output-format",
            "ci",
            "-",
        ];
        var result = await Tool.TryAsync("kube-score", arguments, await HelmChart.RenderAsync(overlay));

        Assert.Contains("[OK]", result.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("[CRITICAL]", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Broker_pod_changes_only_with_its_configuration()
    {
        var pods = new List<string>();
        foreach (
            var value in new[] { "serviceBus.lockDuration=PT1M", "serviceBus.lockDuration=PT5M", "redis.maxMemory=1mb" }
        )
        {
            var manifests = await HelmChart.RenderAsync("", "--set", value);
            pods.Add(Manifests.Find(manifests, "Deployment", "servicebus")["spec"]!["template"]!.ToJsonString());
        }

        Assert.NotEqual(pods[0], pods[1]);
        Assert.Equal(pods[0], pods[2]);
    }

    [Theory]
    [InlineData("")]
    [InlineData(HelmChart.OptionalServices)]
    public async Task Values_contain_no_keys(string overlay)
    {
        var manifests = await HelmChart.RenderAsync(overlay);

        Assert.DoesNotContain("kind: Secret", manifests, StringComparison.Ordinal);
        // The well-known keys of the emulators are not secret.
        Assert.All(Regex.Matches(manifests, "SharedAccessKey=([^;\"]*)"), match =>
            Assert.Equal("SAS_KEY_VALUE", match.Groups[1].Value)
        );
        Assert.DoesNotContain("AccountKey=", manifests, StringComparison.Ordinal);
        Assert.DoesNotContain("local-subscription-key", manifests, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Disabled_options_render_nothing()
    {
        var plain = await HelmChart.RenderAsync();
        var told = await HelmChart.RenderAsync("", "--set", "gateway.wellKnownKey=true,services.gateway.replicas=5");

        Assert.Equal(plain, told);
        var names = Yaml.Documents(plain).Select(it => it["metadata"]!["name"]!.ToString());
        Assert.DoesNotContain("gateway", names);
    }

    [Fact]
    public async Task Routes_of_the_gateway_can_be_set_in_values()
    {
        var own = JsonNode.Parse(Read("services/Gateway/policies.json"))!;

        var manifests = await HelmChart.RenderAsync(
            "",
            "--set",
            "gateway.enabled=true",
            "--set-json",
            $"gateway.policies={own.ToJsonString()}"
        );

        var told = Manifests.Find(manifests, "ConfigMap", "gateway")["data"]!["policies.json"]!.ToString();
        Assert.True(JsonNode.DeepEquals(own, JsonNode.Parse(told)), told);
    }

    [Fact]
    public async Task Every_metric_of_an_alert_is_on_the_dashboard()
    {
        var alerts = await HelmChart.RenderAsync(
            "",
            "--set",
            "monitoring.alerts=true",
            "--show-only",
            "templates/alerts.yaml"
        );
        var known = Read("infra/dashboards/grafana.json");

        var metrics = Regex
            .Matches(alerts, @"(drone_delivery|http_server)_\w+(?=[{\[)])(?<!by \(\w+)")
            .Select(match => match.Value)
            .Distinct()
            .ToList();
        Assert.Equal(3, metrics.Count);
        Assert.All(metrics, metric => Assert.Contains(metric, known, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Table_of_values_matches_helm_docs()
    {
        Tool.Require("helm-docs");
        var table = await Tool.RunAsync("helm-docs", ["--chart-search-root", HelmChart.Folder, "--dry-run"]);

        Assert.Equal(Read($"{HelmChart.Folder}/README.md"), table);
    }
}
