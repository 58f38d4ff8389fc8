namespace DroneDelivery.Kubernetes.Tests.Infra;

/// <summary>The hook after <c>azd down</c>, with a fake az that records its calls.</summary>
public sealed class PostdownTests
{
    private const string Az = """
        #!/bin/sh
        echo "$*" >>"$(dirname "$0")/calls"
        case "$*" in "group exists --name test --subscription 0123") echo "$EXISTS" ;; esac
        """;

    [Fact]
    public async Task Budget_is_deleted_with_the_resource_group()
    {
        var (result, calls) = await RunAsync(exists: "false");

        Assert.Equal(0, result.ExitCode);
        Assert.Contains("rest --method delete", calls, StringComparison.Ordinal);
        Assert.Contains("/subscriptions/0123/", calls, StringComparison.Ordinal);
        Assert.Contains("/budgets/test?", calls, StringComparison.Ordinal);
    }

    /// <summary>After an interrupted deployment, azd finds nothing to delete and succeeds.</summary>
    [Fact]
    public async Task Remaining_resource_group_keeps_its_budget_and_is_reported()
    {
        var (result, calls) = await RunAsync(exists: "true");

        Assert.NotEqual(0, result.ExitCode);
        Assert.Contains("az group delete --name test", result.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("delete", calls, StringComparison.Ordinal);
    }

    private static async Task<(Result Result, string Calls)> RunAsync(string exists)
    {
        var hook = Yaml.Documents(Read("azure.yaml")).Single()["hooks"]!["postdown"]!["run"]!.GetValue<string>();
        using var tools = await FakeTools.CreateAsync(Az, "az");
        var result = await Tool.TryAsync(
            "sh",
            ["-ec", hook],
            environment: new([
                tools.Path,
                new("EXISTS", exists),
                new("AZURE_ENV_NAME", "test"),
                new("AZURE_SUBSCRIPTION_ID", "0123"),
            ])
        );
        return (
            result,
            await File.ReadAllTextAsync(Path.Combine(tools.Folder, "calls"), TestContext.Current.CancellationToken)
        );
    }
}
