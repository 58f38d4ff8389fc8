using System.Text.RegularExpressions;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>
/// The services and their libraries are what the images contain. The lab is added to their processes from outside and is not named there.
/// </summary>
public sealed partial class LabStaysOutsideTests
{
    [Fact]
    public void No_file_of_a_service_or_of_a_library_names_the_lab()
    {
        var naming =
            (from folder in new[] { "services", "libs" }
             from file in Directory.EnumerateFiles(Path.Combine(Repository.Root, folder), "*", SearchOption.AllDirectories)
             from line in File.ReadLines(file).Index()
             where NamesTheLab().IsMatch(line.Item)
             select $"{Path.GetRelativePath(Repository.Root, file)}:{line.Index + 1}").ToList();

        Assert.True(naming.Count == 0, $"{naming.Count} lines name the lab or what is its own: {string.Join(", ", naming)}");
    }

    [Theory]
    [InlineData("as the lab does", true)]
    [InlineData("public sealed class CpuGate", true)]
    [InlineData("Section Emulation", true)]
    [InlineData("app.MapGet(\"/$responses\", counts.Read)", true)]
    [InlineData("using DroneDelivery.LabAgent;", true)]
    [InlineData("UseDevelopmentEmulator=true", false)]
    [InlineData("the label of a route", false)]
    public void Names_are_whole_words(string line, bool expected) => Assert.Equal(expected, NamesTheLab().IsMatch(line));

    [GeneratedRegex(@"\b(lab|labagent|cpugate|emulat(ion|ed|es))\b|/\$responses", RegexOptions.IgnoreCase)]
    private static partial Regex NamesTheLab();
}
