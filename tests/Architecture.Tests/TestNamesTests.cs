using System.Text.RegularExpressions;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>Whoever looks for the tests of something looks for a file that is named after it.</summary>
public sealed partial class TestNamesTests
{
    [Fact]
    public void A_file_with_tests_has_one_class_of_tests_with_its_name_and_that_ends_with_Tests() =>
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
    public void What_tests_share_is_in_Support() =>
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
