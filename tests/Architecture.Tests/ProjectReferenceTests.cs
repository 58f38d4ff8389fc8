using System.Xml.Linq;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>The dependency rule of docs/internals/code-map.md, read from the project files.</summary>
public sealed class ProjectReferenceTests
{
    private static readonly Dictionary<string, string[]> Allowed = new()
    {
        ["Contracts"] = [],
        ["ServiceDefaults"] = [],
        ["Calls"] = ["ServiceDefaults"],
        ["Database"] = ["ServiceDefaults"],
        ["Messaging"] = ["ServiceDefaults"],
        ["Amqp"] = [],
        ["Telemetry"] = [],
        ["Model"] = [],
        ["LocalServiceBus"] = ["Amqp"],
        ["AppHost"] = ["Delivery", "DroneScheduler", "Ingestion", "Package", "ServiceBus", "Workflow"],
        ["Gateway"] = ["ServiceDefaults"],
        ["Ingestion"] = ["Calls", "Contracts", "Messaging", "ServiceDefaults"],
        ["Workflow"] = ["Calls", "Contracts", "Messaging", "ServiceDefaults"],
        ["Package"] = ["Contracts", "Database", "ServiceDefaults"],
        ["DroneScheduler"] = ["Contracts", "Database", "ServiceDefaults"],
        ["Delivery"] = ["Contracts", "ServiceDefaults"],
        ["ServiceBus"] = ["LocalServiceBus"],
        ["Lab"] = ["Contracts", "Model", "Telemetry"],
        ["LabAgent"] = ["ServiceDefaults"],
        ["Articles"] = ["Lab"],
        ["PolicyPlugin"] = [],
        ["Tracking"] = ["ServiceDefaults"],
    };

    public static TheoryData<string> Projects =>
        [.. ProductionProjects().Select(Path.GetFileNameWithoutExtension).OfType<string>()];

    [Theory, MemberData(nameof(Projects))]
    public void Project_references_only_allowed_projects(string project)
    {
        Assert.True(
            Allowed.TryGetValue(project, out var allowed),
            $"{project} is not in the dependency rule: add it there and to docs/internals/code-map.md."
        );
        var file = ProductionProjects().Single(path => Path.GetFileNameWithoutExtension(path) == project);

        Assert.Empty(ReferencesOf(file).Except(allowed!));
    }

    [Fact]
    public void Every_project_is_in_the_solution()
    {
        var solution = File.ReadAllText(Path.Combine(Repository.Root, "DroneDelivery.slnx"));
        var missing = Directory
            .EnumerateFiles(Repository.Root, "*.csproj", SearchOption.AllDirectories)
            .Where(path => !path.Contains("node_modules", StringComparison.Ordinal))
            .Where(path => !solution.Contains(Path.GetFileName(path), StringComparison.Ordinal));

        Assert.Empty(missing);
    }

    private static IEnumerable<string> ReferencesOf(string file) =>
        XDocument
            .Load(file)
            .Descendants("ProjectReference")
            .Select(reference =>
                Path.GetFileNameWithoutExtension(reference.Attribute("Include")!.Value.Replace('\\', '/'))
            );

    private static IEnumerable<string> ProductionProjects() =>
        new[] { "services", "libs", "local", "loadtest", "samples" }.SelectMany(folder =>
            Directory.EnumerateFiles(Path.Combine(Repository.Root, folder), "*.csproj", SearchOption.AllDirectories)
        );
}
