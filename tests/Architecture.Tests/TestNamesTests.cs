using System.Text.RegularExpressions;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>Whoever looks for the tests of something looks for a file that is named after it.</summary>
public sealed partial class TestNamesTests
{
    [Fact]
    public void A_file_with_tests_has_one_class_of_tests_with_its_name_and_that_ends_with_Tests()
    {
        var misnamed =
            (from file in Directory.EnumerateFiles(Path.Combine(Repository.Root, "tests"), "*.cs", SearchOption.AllDirectories)
             let source = File.ReadAllText(file)
             where HasTests().IsMatch(source) && !IsNamedWell(Path.GetFileNameWithoutExtension(file), source)
             select Path.GetRelativePath(Repository.Root, file)).ToList();

        Assert.True(misnamed.Count == 0, $"{misnamed.Count} files of tests do not mirror what they test: {string.Join(", ", misnamed)}");
    }

    [Fact]
    public void What_tests_share_is_in_Support()
    {
        var astray =
            (from project in Directory.EnumerateDirectories(Path.Combine(Repository.Root, "tests"), "*.Tests")
             from file in Directory.EnumerateFiles(project, "*.cs", SearchOption.AllDirectories)
             let path = Path.GetRelativePath(project, file)
             let source = File.ReadAllText(file)
             where !path.StartsWith("Support", StringComparison.Ordinal) && HasNamespace().IsMatch(source) && !HasTests().IsMatch(source)
             select Path.GetRelativePath(Repository.Root, file)).ToList();

        Assert.True(astray.Count == 0, $"{astray.Count} files have no test and are not in Support: {string.Join(", ", astray)}");
    }

    [Theory]
    [InlineData("QueueTests", "public sealed class QueueTests", true)]
    [InlineData("QueueTests", "public sealed class LockTests", false)]
    [InlineData("Queues", "public sealed class Queues", false)]
    public void The_suffix_and_the_class_count(string file, string source, bool expected) =>
        Assert.Equal(expected, IsNamedWell(file, source));

    private static bool IsNamedWell(string file, string source) =>
        file.EndsWith("Tests", StringComparison.Ordinal) && Regex.IsMatch(source, $@"\bclass {file}\b");

    [GeneratedRegex("^namespace ", RegexOptions.Multiline)]
    private static partial Regex HasNamespace();

    [GeneratedRegex(@"^\s*\[(Fact|Theory)\b", RegexOptions.Multiline)]
    private static partial Regex HasTests();
}
