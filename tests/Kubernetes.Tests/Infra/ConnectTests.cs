namespace DroneDelivery.Kubernetes.Tests.Infra;

/// <summary><c>infra/connect</c> as azd runs it, with fake tools that record their calls.</summary>
public sealed class ConnectTests : IDisposable
{
    private const string Tools = """
        #!/bin/sh
        cd "$(dirname "$0")"
        echo "$(basename "$0") $*" >>calls
        case "${0##*/} $*" in
          "az login "* | az*" --subscription 0123"*) ;;
          "az "*) echo "az $* means another subscription" >&2; exit 1 ;;
        esac
        case "$*" in
          "account show "*) echo TENANT ;;
          *" apply "*) [ -z "$NOT_ACCEPTED" ] ;;
          *" rollout restart "*) false ;;
          *get-access-token*) printf 'TOKEN\r\n' ;; # as on Windows
          "rand -base64 32") printf '%s\r\n' "$(head -c 32 /dev/zero | base64)" ;;
          *"config current-context") echo kind-kind ;;
          *AzureADTokenExchange*) echo '{"value":"GITHUB"}' ;;
          "-r .value") sed 's/.*:"\(.*\)".*/\1/' ;;
          *" get secret "*) [ -n "$HAS_KEY" ] ;;
          *"create --filename -"*) cat >secret ;;
          *" delete pod roles "*) rm -f cut-off ;;
          *" run roles "*) [ ! -e cut-off ] && cat >input ;;
        esac
        """;

    private readonly string _root = Directory.CreateTempSubdirectory("connect").FullName;

    public ConnectTests()
    {
        foreach (
            var file in new[] { "infra/connect", "infra/log-in-from-github", "infra/roles.sql", "k8s/namespace.yaml" }
        )
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Path.Combine(_root, file))!);
            File.Copy(Path.Combine(Repository.Root, file), Path.Combine(_root, file));
        }
    }

    [Fact]
    public async Task Connect_prepares_the_provisioned_cluster_and_database()
    {
        using var tools = await RunAsync("someone@example.org", hasKey: "");

        var calls = Left(tools, "calls").Split('\n');
        Assert.Equal(
            "az acr login --name drone1 --subscription 0123",
            calls.Single(call => call.Contains(" acr ", StringComparison.Ordinal))
        );
        Assert.Equal(
            """{"redis":{"host":"r"}}""",
            File.ReadAllText(Path.Combine(_root, "infra", "values.json")).Trim()
        );
        var secret = JsonNode.Parse(Left(tools, "secret"))!;
        Assert.Equal("acceptance-key", $"{secret["metadata"]!["name"]}");
        Assert.Equal(32, Convert.FromBase64String($"{secret["stringData"]!["AcceptanceKey"]}").Length);
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
    public async Task Connect_keeps_an_existing_key()
    {
        using var tools = await RunAsync("", hasKey: "yes");

        var calls = Left(tools, "calls");
        Assert.DoesNotContain("create --filename", calls, StringComparison.Ordinal);
        Assert.DoesNotContain("run roles", calls, StringComparison.Ordinal);
    }

    /// <summary>The token of a run on GitHub is valid for minutes, and az can't renew it.</summary>
    [Fact]
    public async Task Run_on_GitHub_authenticates_again_first()
    {
        var (tools, _) = await TryAsync("", hasKey: "yes", gitHub: "https://token.example/?v=1");
        using var _tools = tools;

        var calls = Left(tools, "calls").Split('\n');
        Assert.Contains(calls, call =>
            call.EndsWith("https://token.example/?v=1&audience=api://AzureADTokenExchange", StringComparison.Ordinal)
        );
        var ofAz = calls.Where(call => call.StartsWith("az ", StringComparison.Ordinal)).ToList();
        Assert.Contains("--federated-token GITHUB", ofAz[0], StringComparison.Ordinal);
        Assert.StartsWith("az aks get-credentials", ofAz[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Every_command_names_the_context_of_the_environment()
    {
        using var tools = await RunAsync("someone@example.org", hasKey: "");

        var calls = Left(tools, "calls").Trim().Split('\n');
        var kubectl = calls.Where(call => call.StartsWith("kubectl ", StringComparison.Ordinal)).ToList();
        Assert.NotEmpty(kubectl);
        var ofCluster = kubectl.Where(call => !call.StartsWith("kubectl config ", StringComparison.Ordinal)).ToList();
        Assert.NotEmpty(ofCluster);
        Assert.All(ofCluster, call =>
            Assert.StartsWith("kubectl --context drone-test ", call, StringComparison.Ordinal)
        );
        Assert.Single(calls, call => call.Contains("get-credentials", StringComparison.Ordinal) && Names(call));
        Assert.Single(calls, call => call.StartsWith("kubelogin ", StringComparison.Ordinal) && Names(call));
        Assert.Contains("--kube-context \"drone-$AZURE_ENV_NAME\"", Read("azure.yaml"), StringComparison.Ordinal);

        static bool Names(string call) => call.Contains("--context drone-test", StringComparison.Ordinal);
    }

    /// <summary>Commands without a context, such as those that remove everything, are for another cluster.</summary>
    [Fact]
    public async Task Current_context_is_kept()
    {
        using var tools = await RunAsync("", hasKey: "yes");

        var config = Left(tools, "calls")
            .Split('\n')
            .Where(call => call.Contains(" config ", StringComparison.Ordinal));
        Assert.Equal(["kubectl config current-context", "kubectl config set current-context kind-kind"], config);
    }

    [Fact]
    public async Task Default_subscription_is_kept_and_kubectl_uses_its_tenant()
    {
        using var tools = await RunAsync("", hasKey: "yes");

        var calls = Left(tools, "calls");
        Assert.DoesNotContain("az account set", calls, StringComparison.Ordinal);
        Assert.Contains(
            "kubelogin convert-kubeconfig --login azurecli --tenant-id TENANT ",
            calls,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Connect_fails_after_the_last_rejected_attempt()
    {
        var (tools, result) = await TryAsync("someone@example.org", hasKey: "", notAccepted: "yes");
        using var _ = tools;

        Assert.Equal(1, result.ExitCode);
        Assert.Contains("k8s/namespace.yaml", result.Error, StringComparison.Ordinal);
        var calls = Left(tools, "calls").Trim().Split('\n');
        Assert.Equal(30, calls.Count(call => call.Contains(" apply ", StringComparison.Ordinal)));
        Assert.DoesNotContain(calls, call => call.Contains("secret", StringComparison.Ordinal));
    }

    /// <summary>
    /// By default, the agent stores the environment variables of containers, and the Gateway logs each request.
    /// </summary>
    [Fact]
    public async Task Container_insights_store_no_keys_and_no_gateway_requests()
    {
        using var tools = await RunAsync("", hasKey: "");

        var calls = Left(tools, "calls");
        var settings = calls.IndexOf(" apply -f infra/container-insights.yaml", StringComparison.Ordinal);
        Assert.InRange(settings, 0, calls.IndexOf(" create --filename", StringComparison.Ordinal));
        var map = Yaml.Documents(Read("infra/container-insights.yaml")).Single();
        Assert.Equal("container-azm-ms-agentconfig", $"{map["metadata"]!["name"]}");
        Assert.Equal("kube-system", $"{map["metadata"]!["namespace"]}");
        var sections = $"{map["data"]!["log-data-collection-settings"]}".Split("[log_collection_settings.");
        var variables = sections.Single(it => it.StartsWith("env_var]", StringComparison.Ordinal));
        Assert.Contains("enabled = false", variables, StringComparison.Ordinal);
        var gateway = $"\"{HelmChart.OwnValues["edge"]!["gateway"]!["namespace"]}\"";
        Assert.All(sections.Where(it => it.StartsWith("std", StringComparison.Ordinal)), it =>
            Assert.Contains(gateway, it, StringComparison.Ordinal)
        );
    }

    [Fact]
    public async Task Scaling_operator_restarts_after_its_identity_is_federated()
    {
        using var tools = await RunAsync("", hasKey: "yes");

        Assert.Contains("rollout restart deployment keda-operator", Left(tools, "calls"), StringComparison.Ordinal);
    }

    public void Dispose() => Directory.Delete(_root, recursive: true);

    private async Task<FakeTools> RunAsync(string administrator, string hasKey)
    {
        var (tools, result) = await TryAsync(administrator, hasKey);
        Assert.True(result.ExitCode == 0, result.Error);
        return tools;
    }

    private async Task<(FakeTools Tools, Result Result)> TryAsync(
        string administrator,
        string hasKey,
        string notAccepted = "",
        string gitHub = ""
    )
    {
        Tool.Require("bash");
        var tools = await FakeTools.CreateAsync(Tools, "az", "curl", "jq", "kubelogin", "kubectl", "openssl", "sleep");
        // The pod of a previous attempt that was interrupted.
        await File.WriteAllTextAsync(Path.Combine(tools.Folder, "cut-off"), "", TestContext.Current.CancellationToken);
        var result = await Tool.TryAsync(
            "bash",
            [Path.Combine(_root, "infra", "connect")],
            environment: new([
                tools.Path,
                new("HAS_KEY", hasKey),
                new("NOT_ACCEPTED", notAccepted),
                new("ACTIONS_ID_TOKEN_REQUEST_URL", gitHub),
                new("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "0-2"),
                new("AZURE_CLIENT_ID", "0-3"),
                new("AZURE_TENANT_ID", "0-4"),
                new("AZURE_ENV_NAME", "test"),
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
        return (tools, result);
    }

    private static string Left(FakeTools tools, string file) => File.ReadAllText(Path.Combine(tools.Folder, file));
}
