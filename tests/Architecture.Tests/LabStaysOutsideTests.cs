using System.Text.RegularExpressions;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>
/// The services and their libraries are what the images contain. The lab is added to their processes from outside and is not named there.
/// </summary>
public sealed partial class LabStaysOutsideTests
{
    [Fact]
    public void No_file_of_a_service_or_of_a_library_names_the_lab() =>
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
