namespace DroneDelivery.Lab.Tests.Documents;

public sealed partial class PlanningDocumentTests
{
    private const string Page = "docs/how-to/planning.md";

    private static string Text => GeneratedFile.Read(Page);

    [Fact]
    public async Task Example_shows_the_output_of_its_commands()
    {
        var text = Text;
        foreach (Match example in Example().Matches(text))
        {
            var (_, output, _) = await LabInMemory.InvokeAsync(example.Groups["command"].Value.Split(' '));
            text = text.Replace(
                example.Groups["shown"].Value,
                Excerpt(example.Groups["shown"].Value, output),
                StringComparison.Ordinal
            );
        }

        GeneratedFile.Check(Page, text);
    }

    [Fact]
    public void Every_number_in_the_example_is_from_a_command()
    {
        var (from, to) = (At("## Find the bottleneck"), At("## Use your own measurements"));
        var example = Text[from..to];
        var blocks = string.Join('\n', Block().Matches(example).Select(block => block.Value));
        var prose = Regex.Replace(Block().Replace(example, ""), "`[^`]*`|\\([^)]*\\.md[^)]*\\)", "");

        var printed = Figure().Matches(blocks).Select(it => it.Value).ToHashSet();
        var missing = Figure().Matches(prose).Select(it => it.Value).Where(figure => !printed.Contains(figure));

        Assert.Empty(missing);
    }

    private static int At(string heading) => Text.IndexOf(heading, StringComparison.Ordinal);

    /// <summary>Returns the lines that the page shows, with current numbers.</summary>
    private static string Excerpt(string shown, string output)
    {
        var printed = new Queue<string>(output.Split('\n').Select(line => line.TrimEnd()));
        return string.Concat(shown.TrimEnd('\n').Split('\n').Select(line => Find(line) + "\n"));

        string Find(string line)
        {
            while (printed.TryDequeue(out var candidate))
            {
                if (KeyOf(candidate) == KeyOf(line))
                    return candidate;
            }
            throw new InvalidOperationException($"{Page}: the command doesn't print this line here: {line}");
        }
    }

    /// <summary>
    /// Returns the first cell of a row and the words of the others, because numbers and widths may change.
    /// </summary>
    private static (string, string) KeyOf(string line) =>
        (line.Split('│') is [_, var first, _, ..] ? first.Trim() : "", NoLetters().Replace(line, ""));

    [GeneratedRegex("```sh\n\\./lab (?<command>[^\n]*)\n```\n+```text\n(?<shown>.*?)```", RegexOptions.Singleline)]
    private static partial Regex Example();

    [GeneratedRegex(@"[^\p{L}├╭╰]")]
    private static partial Regex NoLetters();

    [GeneratedRegex("```.*?```", RegexOptions.Singleline)]
    private static partial Regex Block();

    [GeneratedRegex("[0-9](?:[0-9,.]*[0-9])?")]
    private static partial Regex Figure();
}
