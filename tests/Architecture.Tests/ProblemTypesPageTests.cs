using System.Text.RegularExpressions;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>The page about problem types has a row for each type in the code.</summary>
public sealed partial class ProblemTypesPageTests
{
    private const string Prefix = "urn:drone-delivery:";

    [Fact]
    public void Page_lists_each_problem_type_of_the_code_once()
    {
        var code = Repository.Code().Where(file => !file.Path.StartsWith("tests", StringComparison.Ordinal)).ToList();
        var constants = code.Single(file => file.Path.EndsWith("/ProblemTypes.cs", StringComparison.Ordinal));
        var database = code.Single(file => file.Path.EndsWith("/SqlDatabase.cs", StringComparison.Ordinal));
        var types = Names(Constant(), constants.Text)
            .Concat(Names(DatabaseProblem(), database.Text).Select(name => $"database-{name}"))
            .Concat(code.SelectMany(file => Names(Literal(), Comment().Replace(file.Text, ""))))
            .Select(name => Prefix + name)
            .Distinct()
            .Order(StringComparer.Ordinal);

        var page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "reference", "problem-types.md"));
        var rows = Names(Row(), page).Order(StringComparer.Ordinal);

        Assert.Equal(types, rows);
    }

    private static IEnumerable<string> Names(Regex regex, string text) =>
        regex.Matches(text).Select(match => match.Groups["name"].Value);

    [GeneratedRegex("= Prefix \\+ \"(?<name>[a-z-]+)\"")]
    private static partial Regex Constant();

    [GeneratedRegex("Unavailable\\(\"(?<name>[a-z-]+)\"")]
    private static partial Regex DatabaseProblem();

    [GeneratedRegex("\"urn:drone-delivery:(?<name>[a-z-]+)\"")]
    private static partial Regex Literal();

    [GeneratedRegex("^\\s*//.*$", RegexOptions.Multiline)]
    private static partial Regex Comment();

    [GeneratedRegex("^\\| `(?<name>urn:drone-delivery:[a-z-]+)` \\|", RegexOptions.Multiline)]
    private static partial Regex Row();
}
