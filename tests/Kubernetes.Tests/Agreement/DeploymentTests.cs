using System.Text.RegularExpressions;
using System.Xml;

namespace DroneDelivery.Kubernetes.Tests.Agreement;

/// <summary>
/// Values that a deployment passes on: from azd to Bicep, and from Bicep to infra/connect and the chart.
/// </summary>
public sealed class DeploymentTests
{
    private static string Pages => Read("docs/how-to/azure.md") + Read("docs/reference/azure-resources.md");

    [Fact]
    public async Task Hooks_of_azd_read_exactly_the_outputs_of_Bicep()
    {
        var outputs = (await BicepTemplate.Compiled)["outputs"]!.AsObject().Select(it => it.Key);
        var hooks = Read("infra/connect") + Read("azure.yaml");

        var read = Regex
            .Matches(hooks, @"\$\{?((?:AZURE|CHART|POSTGRES)_[A-Z_]+)")
            .Select(match => match.Groups[1].Value)
            .Distinct();
        Assert.Equal(
            outputs.Append("AZURE_ENV_NAME").Append("AZURE_SUBSCRIPTION_ID").Order(StringComparer.Ordinal),
            read.Order(StringComparer.Ordinal)
        );
        Assert.All(["infra/connect", "azure.yaml", "skaffold.yaml"], it =>
            Assert.Contains("infra/values.json", Read(it), StringComparison.Ordinal)
        );
    }

    /// <summary>The default subscription of az may differ from that of azd.</summary>
    [Fact]
    public void Every_command_of_az_names_the_subscription()
    {
        string[] files = ["azure.yaml", "infra/connect", "infra/preflight", "infra/preflight.ps1"];
        var commands = files
            .SelectMany(file => Regex.Matches(Regex.Replace(Read(file), @"\\\s+", ""), @"\baz [a-z -]+ --[^\n]*"))
            .Select(match => match.Value)
            .Where(command => !Regex.IsMatch(command, "^az (version|ad|login|account show --output)"))
            .ToList();

        Assert.Equal(14, commands.Count);
        Assert.All(commands, command => Assert.Contains("subscription", command, StringComparison.OrdinalIgnoreCase));
    }

    [Fact]
    public async Task Chart_is_tested_with_the_values_of_a_deployment()
    {
        var values = await BicepTemplate.OutputAsync("CHART_VALUES");
        // Set by the chart itself or by the deployer.
        string[] knobs = ["serviceBus.lockDuration", "serviceBus.maxDeliveryCount"];

        var names = Yaml.Documents(Read($"{HelmChart.Folder}/ci/azure-names.yaml")).Single();
        Assert.Equal(
            Paths(names).Order(StringComparer.Ordinal),
            Paths(values).Except(knobs).Order(StringComparer.Ordinal)
        );
    }

    [Fact]
    public void Docs_set_only_variables_that_the_parameters_read()
    {
        var read = Regex
            .Matches(Read("infra/main.bicepparam"), @"readEnvironmentVariable\('(\w+)'")
            .Select(match => match.Groups[1].Value)
            .Append("SKAFFOLD_PROFILE");
        Assert.Contains("${SKAFFOLD_PROFILE:-azure}", Read("azure.yaml"), StringComparison.Ordinal);
        var set = Regex
            .Matches(Pages, @"`(?:azd env set )?([A-Z]+(?:_[A-Z]+)+)(?: \w+)?`")
            .Select(match => match.Groups[1].Value)
            .Distinct()
            .ToList();

        Assert.Equal(15, set.Count);
        Assert.Empty(set.Except(read));
    }

    [Fact]
    public async Task Values_on_the_page_create_a_public_address()
    {
        using var folder = new OwnFolder();
        var values = Path.Combine(folder.Path, "overrides.yaml");
        var block = Regex.Match(Read("docs/how-to/azure.md"), "```yaml\n(.*?)```", RegexOptions.Singleline);
        var added = Read("infra/overrides.yaml") + block.Groups[1].Value;
        await File.WriteAllTextAsync(values, added, TestContext.Current.CancellationToken);

        var manifests = await HelmChart.RenderAsync(
            "values-azure.yaml",
            "--values",
            values,
            "--set",
            "gateway.enabled=true"
        );

        Assert.Equal(
            "approuting-istio",
            $"{Manifests.Find(manifests, "Gateway", "drone-delivery")["spec"]!["gatewayClassName"]}"
        );
    }

    [Fact]
    public async Task Commands_on_the_page_name_deployed_resources()
    {
        var page = Pages;
        var template = await BicepTemplate.Compiled;
        var gateway = HelmChart.OwnValues["edge"]!["gateway"]!;

        Assert.Contains($"get gateway {gateway["name"]} ", page, StringComparison.Ordinal);
        Assert.Contains($"--namespace {gateway["namespace"]} ", page, StringComparison.Ordinal);
        Assert.All(Regex.Matches(page, @"--app(?:s|-insights) (\S+)"), it =>
            Assert.Equal($"{template["variables"]!["name"]}", it.Groups[1].Value)
        );
        // azd names the resource group after its environment.
        var group = Regex.Match(page, @"azd env new (\S+)").Groups[1].Value;
        Assert.All(Regex.Matches(page, @"--resource-group (\S+)"), it => Assert.Equal(group, it.Groups[1].Value));
    }

    [Fact]
    public async Task Every_service_that_stores_rows_gets_its_own_PostgreSQL_role()
    {
        var stores = HelmChart.OwnValues["services"]!
            .AsObject()
            .Where(it => it.Value!["dependsOn"]?.AsArray().Any(name => $"{name}" == "database") == true)
            .Select(it => it.Key)
            .ToList();
        var services = (await BicepTemplate.VariablesAsync())["services"]!.AsArray().Select(name => $"{name}").ToList();
        var roles = (await BicepTemplate.OutputAsync("POSTGRES_ROLES")).AsObject();

        Assert.Equal(
            stores.Select(name => $"[format('{{0}}{name}', variables('prefix'))]"),
            roles.Select(it => it.Key)
        );
        Assert.All(stores.Zip(roles), it =>
            Assert.Contains(
                $"'identities[{{0}}]', {services.IndexOf(it.First)})",
                $"{it.Second.Value}",
                StringComparison.Ordinal
            )
        );
    }

    [Fact]
    public async Task Migration_account_has_the_administrators_identity()
    {
        var migration = (await BicepTemplate.Compiled)["resources"]!["migration"]!["properties"]!["parameters"]!;
        var manifests = await HelmChart.RenderAsync("values-azure.yaml");

        var account = Manifests.Find(manifests, "ServiceAccount", $"{migration["account"]!["value"]}");
        Assert.NotNull(account["metadata"]!["annotations"]!["azure.workload.identity/client-id"]);
    }

    [Fact]
    public async Task Queue_dead_letters_a_message_before_its_assignment_is_purged()
    {
        var queue = await BicepTemplate.PropertiesAsync("Microsoft.ServiceBus/namespaces/queues");
        var settings = Read("services/DroneScheduler/appsettings.json");
        var retention = Regex.Match(settings, @"""Retention"": \{[^}]*""Period"": ""([^""]+)""").Groups[1].Value;

        Assert.True(
            XmlConvert.ToTimeSpan($"{queue["defaultMessageTimeToLive"]}")
                < TimeSpan.Parse(retention, formatProvider: null) / 2
        );
        Assert.True(queue["deadLetteringOnMessageExpiration"]!.GetValue<bool>());
    }

    private static IEnumerable<string> Paths(JsonNode node, string path = "") =>
        node is JsonObject parts
            ? parts.SelectMany(it => Paths(it.Value!, path is "" ? it.Key : $"{path}.{it.Key}"))
            : [path];
}
