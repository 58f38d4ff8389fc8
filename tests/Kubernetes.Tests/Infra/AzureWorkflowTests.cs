using System.Text.RegularExpressions;

namespace DroneDelivery.Kubernetes.Tests.Infra;

public sealed class AzureWorkflowTests
{
    private static readonly string Text = Read(".github/workflows/azure-dev.yml");

    [Fact]
    public void Deployment_logs_in_with_the_token_of_its_run()
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
        Assert.Empty(empty.Except(required).Except(["BUDGET_START"])); // infra/preflight sets it
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
