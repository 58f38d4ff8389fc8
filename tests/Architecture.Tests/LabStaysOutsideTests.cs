using System.Text.RegularExpressions;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>
/// Images contain only the services and their libraries. The lab attaches to their processes from outside, so their
/// code must not mention it.
/// </summary>
public sealed partial class LabStaysOutsideTests
{
    [Fact]
    public void Services_and_libraries_do_not_mention_the_lab() =>
        Assert.Equal(
            [],
            from folder in new[] { "services", "libs" }
            from file in Directory.EnumerateFiles(
                Path.Combine(Repository.Root, folder),
                "*",
                SearchOption.AllDirectories
            )
            from line in File.ReadLines(file).Index()
            where NamesTheLab().IsMatch(line.Item)
            select $"{Path.GetRelativePath(Repository.Root, file)}:{line.Index + 1}"
        );

    [GeneratedRegex(@"\b(lab|labagent|cpugate|emulat(ion|ed|es))\b|/\$responses", RegexOptions.IgnoreCase)]
    private static partial Regex NamesTheLab();
}
