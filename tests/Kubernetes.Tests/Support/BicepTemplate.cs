using System.Reflection;

namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>The compiled templates of infra/. The compiler knows the types of every API version in use.</summary>
internal static class BicepTemplate
{
    private static readonly Lazy<Task<JsonNode>> Once = new(async () =>
        JsonNode.Parse(await RunAsync("build", "infra/main.bicep"))!
    );

    public const string Overwrite = $"BUDGET_START={BudgetStart} bicep {Snapshot} --mode overwrite";

    private const string BudgetStart = "2026-12-01";

    private const string Snapshot =
        "snapshot infra/main.bicepparam --subscription-id 00000000-0000-0000-0000-000000000000 "
        + "--tenant-id 00000000-0000-0000-0000-000000000001 --location eastus2 --deployment-name main";

    public static Task<JsonNode> Compiled => Once.Value;

    public static async Task<JsonNode> VariablesAsync() => (await Compiled)["variables"]!;

    public static async Task<JsonNode> OutputAsync(string name) => (await Compiled)["outputs"]![name]!["value"]!;

    /// <summary>Returns the properties of the first resource of a type.</summary>
    public static async Task<JsonNode> PropertiesAsync(string type) => (await ResourcesAsync(type))[0]["properties"]!;

    public static async Task<IReadOnlyList<JsonNode>> ResourcesAsync(string type) =>
        [.. In(await Compiled).Where(it => Is(it, type))];

    public static async Task<IReadOnlyList<string>> TypesAsync() =>
        [.. In(await Compiled).Select(it => $"{it["type"]}").Distinct()];

    /// <summary>
    /// Compares the resources that the templates and parameters predict with infra/main.snapshot.json.
    /// </summary>
    public static Task<Result> CompareWithSnapshotAsync(params KeyValuePair<string, string>[] parameters) =>
        Tool.TryAsync(
            Compiler(),
            [.. Snapshot.Split(' '), "--mode", "validate"],
            environment: new(parameters.Prepend(KeyValuePair.Create("BUDGET_START", BudgetStart)))
        );

    /// <summary>Runs the compiler, which also fails on warnings.</summary>
    public static async Task<string> RunAsync(string command, string file)
    {
        var result = await Tool.TryAsync(Compiler(), [command, file, "--stdout"]);
        Assert.Equal((0, ""), (result.ExitCode, result.Error));
        return result.Output;
    }

    private static string Compiler()
    {
        var compiler = typeof(BicepTemplate)
            .Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .SingleOrDefault(it => it.Key == "Bicep")
            ?.Value;
        Assert.SkipWhen(
            compiler is null,
            "There is no package with the Bicep compiler for this machine, so infra/ was not checked."
        );
        return compiler;
    }

    private static bool Is(JsonNode resource, string type) => $"{resource["type"]}" == type;

    private static IEnumerable<JsonNode> In(JsonNode template)
    {
        var resources = template["resources"] is JsonObject named
            ? named.Select(it => it.Value)
            : template["resources"]!.AsArray();
        return resources
            .OfType<JsonNode>()
            .SelectMany(it => Is(it, "Microsoft.Resources/deployments") ? In(it["properties"]!["template"]!) : [it]);
    }
}
