namespace DroneDelivery.Kubernetes.Tests.Infra;

/// <summary><c>infra/connect</c> as azd runs it, with tools that write down how they are called.</summary>
public sealed class ConnectTests : IDisposable
{
    private const string Tools = """
        #!/bin/sh
        cd "$(dirname "$0")"
        echo "$(basename "$0") $*" >>calls
        case "$*" in
          *get-access-token*) echo TOKEN ;;
          *" get secret "*) [ -n "$HAS_KEY" ] ;;
          *"create secret"*) for word in "$@"; do case $word in *AcceptanceKey=*) cat "${word#*AcceptanceKey=}" >key ;; esac; done ;;
          *" delete pod roles "*) rm -f cut-off ;;
          *" run roles "*) [ ! -e cut-off ] && cat >input ;;
        esac
        """;

    private readonly string _root = Directory.CreateTempSubdirectory("connect").FullName;

    public ConnectTests()
    {
        foreach (var file in new[] { "infra/connect", "infra/roles.sql", "k8s/namespace.yaml" })
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Path.Combine(_root, file))!);
            File.Copy(Path.Combine(Repository.Root, file), Path.Combine(_root, file));
        }
    }

    [Fact]
    public async Task It_prepares_the_cluster_and_the_database_of_the_subscription_that_azd_has_provisioned()
    {
        using var tools = await RunAsync("someone@example.org", hasKey: "");

        var calls = Left(tools, "calls").Split('\n');
        Assert.Equal("az account set --subscription 0123", calls[0]); // what follows names none, and az may have another as its default
        Assert.Equal(
            "az acr login --name drone1",
            calls.Single(call => call.Contains(" acr ", StringComparison.Ordinal))
        );
        Assert.Equal(
            """{"redis":{"host":"r"}}""",
            File.ReadAllText(Path.Combine(_root, "infra", "values.json")).Trim()
        );
        Assert.Equal(32, Convert.FromBase64String(Left(tools, "key")).Length);
        var run = calls.Single(call => call.Contains(" run roles ", StringComparison.Ordinal));
        Assert.EndsWith(
            " {\"drone-package\":\"0-1\"} host=pg dbname=postgres user=someone@example.org sslmode=require",
            run,
            StringComparison.Ordinal
        );
        Assert.DoesNotContain("TOKEN", run, StringComparison.Ordinal);
        Assert.Equal("TOKEN\n" + Read("infra/roles.sql"), Left(tools, "input"));
    }

    [Fact]
    public async Task It_keeps_a_key_that_is_there_and_leaves_the_roles_to_a_service_principal()
    {
        using var tools = await RunAsync("", hasKey: "yes");

        var calls = Left(tools, "calls");
        Assert.DoesNotContain("create secret", calls, StringComparison.Ordinal);
        Assert.DoesNotContain("run roles", calls, StringComparison.Ordinal);
    }

    public void Dispose() => Directory.Delete(_root, recursive: true);

    private async Task<ToolImitation> RunAsync(string administrator, string hasKey)
    {
        Tool.Require("bash", "openssl");
        var tools = await ToolImitation.CreateAsync(Tools, "az", "kubelogin", "kubectl");
        // The pod of an attempt before, whose terminal was closed.
        await File.WriteAllTextAsync(Path.Combine(tools.Folder, "cut-off"), "", TestContext.Current.CancellationToken);
        await Tool.RunAsync(
            "bash",
            [Path.Combine(_root, "infra", "connect")],
            environment: new([
                tools.Path,
                new("HAS_KEY", hasKey),
                new("CHART_VALUES", """{"redis":{"host":"r"}}"""),
                new("AZURE_SUBSCRIPTION_ID", "0123"),
                new("AZURE_RESOURCE_GROUP", "drone-delivery"),
                new("AZURE_AKS_CLUSTER_NAME", "drone"),
                new("AZURE_CONTAINER_REGISTRY_ENDPOINT", "drone1.azurecr.io"),
                new("POSTGRES_HOST", "pg"),
                new("POSTGRES_ROLES", """{"drone-package":"0-1"}"""),
                new("POSTGRES_ADMINISTRATOR", administrator),
            ])
        );
        return tools;
    }

    private static string Left(ToolImitation tools, string file) => File.ReadAllText(Path.Combine(tools.Folder, file));
}
