using System.Text.RegularExpressions;

namespace DroneDelivery.Kubernetes.Tests.Chart;

public sealed class ChartTests
{
    /// <summary>Of those that set the same, helm has the same to say.</summary>
    public static TheoryData<string> Overlays => HelmChart.DifferentOverlays;

    [Fact]
    public async Task Helm_has_nothing_to_object_to()
    {
        Tool.Require("helm");
        await Tool.RunAsync("helm", ["lint", "--strict", HelmChart.Folder]);
    }

    [Fact]
    public async Task The_chart_s_own_tests_pass()
    {
        Tool.Require("helm-unittest");
        var output = await Tool.RunAsync("helm-unittest", [HelmChart.Folder]);

        Assert.True(
            int.Parse(Regex.Match(output, @"Tests:\s+(\d+) passed, \1 total").Groups[1].Value, provider: null) >= 100,
            output
        );
    }

    [Theory, MemberData(nameof(Overlays))]
    public async Task No_object_has_a_critical_weakness(string overlay)
    {
        Tool.Require("kube-score");
        // The two that are meant otherwise: a CPU limit would throttle what is measured (values.yaml says more), and an image whose tag
        // never moves need not be pulled each time.
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
    public async Task The_broker_s_pod_changes_with_its_file_and_with_nothing_else()
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
    public async Task No_value_holds_a_key(string overlay)
    {
        var manifests = await HelmChart.RenderAsync(overlay);

        Assert.DoesNotContain("kind: Secret", manifests, StringComparison.Ordinal);
        // The emulators' well-known keys are none.
        Assert.All(Regex.Matches(manifests, "SharedAccessKey=([^;\"]*)"), match =>
            Assert.Equal("SAS_KEY_VALUE", match.Groups[1].Value)
        );
        Assert.DoesNotContain("AccountKey=", manifests, StringComparison.Ordinal);
        Assert.DoesNotContain("local-subscription-key", manifests, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_off_by_default_is_not_there_and_changes_nothing()
    {
        var plain = await HelmChart.RenderAsync();
        var told = await HelmChart.RenderAsync("", "--set", "gateway.wellKnownKey=true,services.gateway.replicas=5");

        Assert.Equal(plain, told);
        var names = Yaml.Documents(plain).Select(it => it["metadata"]!["name"]!.ToString());
        Assert.DoesNotContain("gateway", names);
    }

    [Fact]
    public async Task The_routes_of_the_service_Gateway_can_be_written_in_values_as_they_are()
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
    public async Task Every_metric_that_an_alert_reads_is_on_the_dashboard_too()
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
    public async Task The_table_of_values_is_the_one_that_helm_docs_makes()
    {
        Tool.Require("helm-docs");
        var table = await Tool.RunAsync("helm-docs", ["--chart-search-root", HelmChart.Folder, "--dry-run"]);

        Assert.Equal(Read($"{HelmChart.Folder}/README.md"), table);
    }
}
