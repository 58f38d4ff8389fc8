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
        var environment = Yaml.Documents(Text).Single()["jobs"]!["deploy"]!["env"]!.AsObject();
        var tested = Regex.Match(Text, @"for name in ([A-Z_ ]+); do").Groups[1].Value.Split(' ');

        Assert.All(environment, it => Assert.Equal($"${{{{ vars.{it.Key} }}}}", $"{it.Value}"));
        Assert.Equal(environment.Select(it => it.Key), tested);
    }

    /// <summary>azd stores these on the machine of a person; a pipeline starts each time without them.</summary>
    [Fact]
    public void Stored_parameters_come_from_variables()
    {
        var environment = Yaml.Documents(Text).Single()["jobs"]!["deploy"]!["env"]!.AsObject();

        foreach (var name in new[] { "BUDGET_START", "SERVICE_PRINCIPAL_NAME" })
        {
            Assert.Contains(
                $"readEnvironmentVariable('{name}'",
                Read("infra/main.bicepparam"),
                StringComparison.Ordinal
            );
            Assert.Contains(environment, it => it.Key == name);
        }
    }
}
