using System.Text.Json;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>A hanging test fails after a while, in any language, and doesn't block the others indefinitely.</summary>
public sealed class TimeLimitTests
{
    private static readonly string Tests = Path.Combine(Repository.Root, "tests");

    // Directory.Build.targets adds the attribute to every project with such a name, including this one.
    [Fact]
    public void Every_test_project_has_the_time_limit()
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
    public void Every_Node_test_suite_has_a_time_limit()
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
