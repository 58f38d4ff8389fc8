namespace DroneDelivery.Kubernetes.Tests.Skaffold;

/// <summary><c>build/try-kind</c> with fake tools that record their calls.</summary>
public sealed class TryKindTests : IDisposable
{
    private static readonly string[] Changed = ["services/Package/Program.cs", "libs/Calls/ServiceClients.cs"];

    // Like skaffold, it reports when it waits for changes, at first and after each change.
    private const string Tools = """
        #!/bin/sh
        echo "${0##*/} $*" >>"$(dirname "$0")/calls"
        case "${0##*/} $*" in
          "kind create "*) [ -z "$EXISTS" ] ;;
          "kubectl config current-context"*) echo other ;;
          "curl "*http_code*) printf %s "$STATUS" ;;
          "skaffold dev "*)
            [ -z "$SKAFFOLD_FAILS" ] || { echo "no such image"; exit 1; }
            seen=
            while :; do
              contents=$(cat services/Package/Program.cs libs/Calls/ServiceClients.cs)
              [ "$contents" = "$seen" ] || echo "Watching for changes..."
              seen=$contents
              sleep 0.1
            done ;;
        esac
        """;

    private readonly string _root = Directory.CreateTempSubdirectory("try-kind").FullName;

    public TryKindTests()
    {
        foreach (var file in Changed.Append("build/try-kind"))
        {
            Directory.CreateDirectory(Path.GetDirectoryName(Path.Combine(_root, file))!);
            File.Copy(Path.Combine(Repository.Root, file), Path.Combine(_root, file));
        }
    }

    [Fact]
    public async Task Each_step_is_timed_and_everything_is_cleaned_up()
    {
        var (result, calls) = await RunAsync();

        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Equal(6, result.Output.Split('\n').Count(line => line.Contains(" s  ", StringComparison.Ordinal)));
        Assert.Equal("kind delete cluster --name drone-try", calls[^1]);
        Assert.All(Changed, file => Assert.Equal(Read(file), File.ReadAllText(Path.Combine(_root, file))));
    }

    [Fact]
    public async Task Every_command_names_the_cluster_that_it_created()
    {
        var (_, calls) = await RunAsync();

        string[] others = ["kubectl config current-context", "kubectl config set current-context other"];
        var commands = calls.Where(call => !call.StartsWith("curl ", StringComparison.Ordinal)).Except(others);
        Assert.All(commands, call => Assert.Contains("drone-try", call, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Current_context_is_restored()
    {
        var (_, calls) = await RunAsync();

        var created = calls.ToList().FindIndex(call => call.StartsWith("kind create ", StringComparison.Ordinal));
        Assert.Equal("kubectl config set current-context other", calls[created + 1]);
    }

    [Fact]
    public async Task Cluster_is_kept_on_request()
    {
        var (_, calls) = await RunAsync("--keep");

        Assert.DoesNotContain("kind delete cluster --name drone-try", calls);
    }

    [Fact]
    public async Task Existing_cluster_is_kept()
    {
        var (result, calls) = await RunAsync(variables: KeyValuePair.Create("EXISTS", "yes"));

        Assert.Equal(1, result.ExitCode);
        Assert.DoesNotContain("kind delete cluster --name drone-try", calls);
    }

    [Theory]
    [InlineData("STATUS", "503", "503 instead of 202")]
    [InlineData("SKAFFOLD_FAILS", "yes", "no such image")]
    public async Task Failure_is_reported_and_the_cluster_is_deleted(string variable, string value, string message)
    {
        var (result, calls) = await RunAsync(variables: KeyValuePair.Create(variable, value));

        Assert.Equal(1, result.ExitCode);
        Assert.Contains(message, result.Error, StringComparison.Ordinal);
        Assert.Equal("kind delete cluster --name drone-try", calls[^1]);
    }

    public void Dispose() => Directory.Delete(_root, recursive: true);

    private async Task<(Result Result, IReadOnlyList<string> Calls)> RunAsync(
        string option = "",
        KeyValuePair<string, string>? variables = null
    )
    {
        Tool.Require("bash");
        using var tools = await FakeTools.CreateAsync(
            Tools,
            "docker",
            "kind",
            "kubectl",
            "helm",
            "skaffold",
            "dotnet",
            "curl"
        );
        var environment = new Dictionary<string, string> { [tools.Path.Key] = tools.Path.Value, ["STATUS"] = "202" };
        if (variables is { } changed)
            environment[changed.Key] = changed.Value;
        string[] options = option.Length == 0 ? [] : [option];

        var script = Path.Combine(_root, "build", "try-kind");
        var result = await Tool.TryAsync("bash", [script, .. options], environment: environment);

        return (result, File.ReadAllLines(Path.Combine(tools.Folder, "calls")));
    }
}
