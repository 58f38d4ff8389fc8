using System.Text.RegularExpressions;

namespace DroneDelivery.Kubernetes.Tests.Infra;

public sealed class AzureWorkflowTests
{
    private static readonly string Text = Read(".github/workflows/azure-dev.yml");

    [Fact]
    public void Deployment_authenticates_with_the_token_of_its_run()
    {
        var workflow = Yaml.Documents(Text).Single();

        Assert.Equal("write", $"{workflow["permissions"]!["id-token"]}");
        Assert.DoesNotContain("secrets.", Text, StringComparison.Ordinal);
    }

    [Fact]
    public void Missing_variables_stop_the_deployment()
    {
        var required = Regex.Match(Text, @"for name in ([A-Z_ ]+); do").Groups[1].Value.Split(' ');
        var empty = Regex
            .Matches(Read("infra/main.bicepparam"), @"readEnvironmentVariable\('(\w+)', ''\)")
            .Select(match => match.Groups[1].Value);

        Assert.Contains("AZURE_CLIENT_ID", required);
        // infra/preflight sets the first one.
        Assert.Empty(empty.Except(required).Except(["BUDGET_START", "ALERT_EMAIL", "API_SERVER_RANGES"]));
    }

    /// <summary>With more, it could make itself the owner of the subscription.</summary>
    [Fact]
    public void Deployer_assigns_only_the_roles_of_the_templates()
    {
        var templates = Directory.GetFiles(Path.Combine(Repository.Root, "infra", "modules")).Select(File.ReadAllText);
        var condition = Read("infra/deployer-condition.txt");
        const string Write =
            "!(ActionMatches{'Microsoft.Authorization/roleAssignments/write'})) OR (@Request[Microsoft.Authorization/roleAssignments:RoleDefinitionId]";

        Assert.Equal(
            templates
                .SelectMany(text => Regex.Matches(text, "roleDefinitions', '([0-9a-f-]{36})'"))
                .Select(match => match.Groups[1].Value)
                .Order(StringComparer.Ordinal),
            Regex
                .Matches(condition, "[0-9a-f-]{36}")
                .Select(match => match.Value)
                .Distinct()
                .Order(StringComparer.Ordinal)
        );
        Assert.Contains(Write, condition, StringComparison.Ordinal);
        Assert.Contains(
            "--role 'Role Based Access Control Administrator' --condition-version 2.0 --condition \"$(cat infra/deployer-condition.txt)\"",
            Read("docs/how-to/azure.md"),
            StringComparison.Ordinal
        );
        Assert.DoesNotContain("for role in", Read("docs/how-to/azure.md"), StringComparison.Ordinal);
    }

    /// <summary>
    /// The latest version of a tool, or a changed script, would run with the permissions of the deployment.
    /// </summary>
    [Fact]
    public void Workflows_download_tools_only_in_fixed_versions()
    {
        var workflows = Directory
            .GetFiles(Path.Combine(Repository.Root, ".github", "workflows"))
            .Select(File.ReadAllText)
            .ToList();
        var bicep = Regex.Match(
            Read("Directory.Packages.props"),
            @"azure\.bicep[^""]*"" Version=""([^""]+)""",
            RegexOptions.IgnoreCase
        );

        Assert.All(workflows, text => Assert.DoesNotMatch(@"curl|wget|install-cli|go install|npx|pip3? install", text));
        var installed = workflows
            .SelectMany(text => Regex.Matches(text, @"az bicep install --version v([\d.]+)"))
            .Single();
        Assert.Equal(bicep.Groups[1].Value, installed.Groups[1].Value);
    }

    /// <summary>azd stores settings on the machine of a person; a pipeline starts each time without them.</summary>
    [Fact]
    public void Settings_come_from_the_variables_of_the_repository()
    {
        var steps = Yaml.Documents(Text).Single()["jobs"]!["deploy"]!["steps"]!.AsArray();
        var reading = steps.Single(step => $"{step!["env"]?["VARIABLES"]}" == "${{ toJSON(vars) }}")!;

        Assert.EndsWith(">>\"$GITHUB_ENV\"", $"{reading["run"]}", StringComparison.Ordinal);
    }
}
