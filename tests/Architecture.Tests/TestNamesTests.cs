using System.Text.RegularExpressions;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>The tests of a subject are in a file with its name.</summary>
public sealed partial class TestNamesTests
{
    [Fact]
    public void Test_file_contains_one_class_with_its_name() =>
        Assert.Equal(
            [],
            from file in Directory.EnumerateFiles(
                Path.Combine(Repository.Root, "tests"),
                "*.cs",
                SearchOption.AllDirectories
            )
            let source = File.ReadAllText(file)
            where HasTests().IsMatch(source) && !IsNamedWell(Path.GetFileNameWithoutExtension(file), source)
            select Path.GetRelativePath(Repository.Root, file)
        );

    [Fact]
    public void Shared_code_of_tests_is_in_Support() =>
        Assert.Equal(
            [],
            from project in Directory.EnumerateDirectories(Path.Combine(Repository.Root, "tests"), "*.Tests")
            from file in Directory.EnumerateFiles(project, "*.cs", SearchOption.AllDirectories)
            let path = Path.GetRelativePath(project, file)
            let source = File.ReadAllText(file)
            where
                !path.StartsWith("Support", StringComparison.Ordinal)
                && HasNamespace().IsMatch(source)
                && !HasTests().IsMatch(source)
            select Path.GetRelativePath(Repository.Root, file)
        );

    private static bool IsNamedWell(string file, string source) =>
        file.EndsWith("Tests", StringComparison.Ordinal) && Regex.IsMatch(source, $@"\bclass {file}\b");

    [GeneratedRegex("^namespace ", RegexOptions.Multiline)]
    private static partial Regex HasNamespace();

    [GeneratedRegex(@"^\s*\[(Fact|Theory)\b", RegexOptions.Multiline)]
    private static partial Regex HasTests();
}
