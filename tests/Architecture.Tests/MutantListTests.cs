using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>Each mutant in <c>build/mutants.txt</c> can be applied.</summary>
public sealed class MutantListTests
{
    [Fact]
    public void Code_of_each_mutant_is_in_its_file()
    {
        var list = File.ReadAllText(Path.Combine(Repository.Root, "build", "mutants.txt"));
        var mutants = list.Split("\n\n").Skip(1).Select(mutant => mutant.Split('\n')).ToList();

        Assert.True(mutants.Count >= 150, $"The list has {mutants.Count} mutants.");
        Assert.All(mutants, lines =>
        {
            var code = File.ReadAllText(Path.Combine(Repository.Root, lines[0].Split(' ')[2]));
            Assert.All(lines.Where(line => line.StartsWith("was ", StringComparison.Ordinal)), line =>
                Assert.Contains(WithoutSpacing(line[4..]), WithoutSpacing(code))
            );
        });
    }

    private static string WithoutSpacing(string text) =>
        string.Concat(text.Where(character => !char.IsWhiteSpace(character)));
}
