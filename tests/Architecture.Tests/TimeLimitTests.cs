using System.Text.Json;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>A test that hangs fails after a while, whatever it is written in, and does not hold up the others for ever.</summary>
public sealed class TimeLimitTests
{
    private static readonly string Tests = Path.Combine(Repository.Root, "tests");

    // Directory.Build.targets gives the attribute to each project with such a name, and this is one of them.
    [Fact]
    public void Every_project_of_tests_has_the_time_limit()
    {
        var others = Directory
            .EnumerateFiles(Tests, "*.csproj", SearchOption.AllDirectories)
            .Select(Path.GetFileNameWithoutExtension)
            .Where(project => !project!.EndsWith(".Tests", StringComparison.Ordinal));

        Assert.Equal(["ClockedBroker", "Consumers", "Testing"], others.Order());
        Assert.Contains(GetType().Assembly.CustomAttributes, attribute =>
            attribute.AttributeType.Name == "TestTimeLimitAttribute"
        );
    }

    [Fact]
    public void Every_suite_for_Node_has_a_time_limit()
    {
        var scripts = Directory
            .EnumerateDirectories(Tests)
            .Select(folder => Path.Combine(folder, "package.json"))
            .Where(File.Exists)
            .ToDictionary(file => Path.GetRelativePath(Tests, file), TestScript);

        Assert.NotEmpty(scripts);
        Assert.All(scripts, script => Assert.Contains("--test-timeout=", script.Value, StringComparison.Ordinal));
    }

    private static string TestScript(string file)
    {
        using var package = JsonDocument.Parse(File.ReadAllText(file));
        return package.RootElement.GetProperty("scripts").GetProperty("test").GetString()!;
    }
}
