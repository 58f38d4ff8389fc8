namespace DroneDelivery.Lab.Tests.Documents;

/// <summary>The text of docs/how-to/planning.md names only figures that its commands print; `./lab docs` writes what they print.</summary>
public sealed partial class PlanningDocumentTests
{
    private static readonly string Text = File.ReadAllText(
        Path.Combine(Repository.Root, "docs", "how-to", "planning.md")
    );

    [Fact]
    public void Every_figure_of_the_example_was_printed_or_typed()
    {
        var (from, to) = (At("## An example"), At("## Your own measurements"));
        var example = Text[from..to];
        var blocks = string.Join('\n', Block().Matches(example).Select(block => block.Value));
        var prose = Regex.Replace(Block().Replace(example, ""), "`[^`]*`|\\([^)]*\\.md[^)]*\\)", "");

        var printed = Figure().Matches(blocks).Select(it => it.Value).ToHashSet();
        var missing = Figure().Matches(prose).Select(it => it.Value).Where(figure => !printed.Contains(figure));

        Assert.Empty(missing);
    }

    private static int At(string heading) => Text.IndexOf(heading, StringComparison.Ordinal);

    [GeneratedRegex("```.*?```", RegexOptions.Singleline)]
    private static partial Regex Block();

    [GeneratedRegex("[0-9](?:[0-9,.]*[0-9])?")]
    private static partial Regex Figure();
}
