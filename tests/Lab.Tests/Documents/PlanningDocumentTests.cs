namespace DroneDelivery.Lab.Tests.Documents;

/// <summary>docs/planning.md: what stands below a command is what the command prints, and what the text says of it stands there.</summary>
public sealed partial class PlanningDocumentTests
{
    private static readonly string Text = File.ReadAllText(Path.Combine(Repository.Root, "docs", "planning.md"));

    public static TheoryData<string> Commands => [.. Printed().Matches(Text).Select(match => match.Groups["command"].Value)];

    [Fact]
    public void The_example_has_commands_with_what_they_print() => Assert.InRange(Commands.Count, 4, 20);

    [Theory, MemberData(nameof(Commands))]
    public async Task What_stands_below_a_command_is_what_it_prints(string command)
    {
        var expected = Printed().Matches(Text).Single(match => match.Groups["command"].Value == command).Groups["output"].Value;

        var (_, output, _) = await LabInMemory.TypeAsync(ShellWords.Of(command["./lab ".Length..]));

        var printed = new Queue<string>(Lines(output));
        foreach (var line in Lines(expected))
        {
            while (printed.Count > 0 && printed.Peek() != line)
                printed.Dequeue();
            Assert.True(printed.TryDequeue(out _), $"docs/planning.md: `{command}` does not print, or not there:\n{line}");
        }
    }

    [Fact]
    public void Every_figure_of_the_example_was_printed_or_typed()
    {
        var (from, to) = (At("## An example"), At("## What it is told"));
        var example = Text[from..to];
        var blocks = string.Join('\n', Block().Matches(example).Select(block => block.Value));
        var prose = Code().Replace(Block().Replace(example, ""), "");

        var printed = Figure().Matches(blocks).Select(it => it.Value).ToHashSet();
        var missing = Figure().Matches(prose).Select(it => it.Value).Where(figure => !printed.Contains(figure));

        Assert.Empty(missing);
    }

    private static int At(string heading) => Text.IndexOf(heading, StringComparison.Ordinal);

    private static List<string> Lines(string text) => [.. text.Split('\n').Select(line => line.TrimEnd()).Where(line => line.Length > 0)];

    [GeneratedRegex("```sh\n(?<command>\\./lab plan [^\n]*)\n```\n+```text\n(?<output>.*?)```", RegexOptions.Singleline)]
    private static partial Regex Printed();

    [GeneratedRegex("```.*?```", RegexOptions.Singleline)]
    private static partial Regex Block();

    [GeneratedRegex("`[^`]*`|\\([^)]*\\.md[^)]*\\)")]
    private static partial Regex Code();

    [GeneratedRegex("[0-9](?:[0-9,.]*[0-9])?")]
    private static partial Regex Figure();
}
