namespace DroneDelivery.Kubernetes.Tests.Infra;

/// <summary>
/// Azure is not here: <c>infra/up</c> runs with an <c>az</c> that knows what the last deployment was given, and nothing of the one before.
/// </summary>
public sealed class RepeatedDeploymentTests : IDisposable
{
    private const string Az = """
        #!/usr/bin/env python3
        import json, pathlib, sys
        deployed = pathlib.Path(__file__).with_name("deployed.json")
        command = sys.argv[1:4]
        if command == ["deployment", "group", "create"]:
            parameters = {}
            for given in sys.argv[sys.argv.index("--parameters") + 1:sys.argv.index("--query")]:
                name, _, value = given.partition("=")
                parameters.update(json.loads(given) if given.startswith("{") else {name: {"value": value}})
            deployed.write_text(json.dumps(parameters))
            print(json.dumps({"values": {"value": {}}, "registry": {"value": "drones.example"}}))
        elif command == ["deployment", "group", "list"] and deployed.exists():
            print("drone-delivery")
        elif command == ["deployment", "group", "show"] and "properties.parameters" in " ".join(sys.argv):
            print(json.dumps({name: {"type": "String", **given} for name, given in json.loads(deployed.read_text()).items()}))
        """;

    private readonly string _folder = Directory.CreateTempSubdirectory("infra").FullName;

    [Fact]
    public async Task Each_run_changes_the_parameters_that_it_is_given_and_no_other()
    {
        Tool.Require("bash", "python3");
        // What it writes goes beside it.
        File.Copy(Path.Combine(Repository.Root, "infra", "up"), Path.Combine(_folder, "up"));
        await File.WriteAllTextAsync(Path.Combine(_folder, "az"), Az, TestContext.Current.CancellationToken);
        await Tool.RunAsync("chmod", ["+x", Path.Combine(_folder, "az")]);

        await UpAsync("lockDuration=PT5M", "nodeCount=6");
        await UpAsync();
        await UpAsync("nodeCount=12");

        var file = Path.Combine(_folder, "deployed.json");
        var deployed = JsonNode.Parse(await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken))!;
        Assert.Equal("""{"lockDuration":{"value":"PT5M"},"nodeCount":{"value":"12"}}""", deployed.ToJsonString());
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private Task<string> UpAsync(params string[] parameters) => Tool.RunAsync(
        "bash",
        [Path.Combine(_folder, "up"), "drones", "eastus2", .. parameters],
        environment: new() { ["PATH"] = $"{_folder}:{Environment.GetEnvironmentVariable("PATH")}" });
}
