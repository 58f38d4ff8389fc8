using System.CommandLine.Help;
using System.Globalization;
using System.Text.RegularExpressions;
using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>What pages show of the lab: its help, what a command prints, and what happens in a stage.</summary>
internal static partial class PrintedPages
{
    private const int Columns = 140;

    private static readonly string Docs = Path.Combine(Repository.Root, "docs");

    /// <returns>Path → what the page has to contain, of those that differ and of that with the help.</returns>
    public static async Task<IReadOnlyDictionary<string, string?>> ExpectedAsync(TimeProvider time)
    {
        var pages = new Dictionary<string, string?>();
        foreach (var page in Directory.EnumerateFiles(Docs, "*.md", SearchOption.AllDirectories))
        {
            var before = File.ReadAllText(page);
            var text = Told()
                .Replace(before, told => told.Groups["head"].Value + WhatHappens(told.Groups["stage"].Value));
            foreach (Match block in Printed().Matches(text))
            {
                var printed = await PrintedByAsync(block.Groups["command"].Value, time);
                text = text.Replace(block.Groups["shown"].Value, Excerpt(block, printed), StringComparison.Ordinal);
            }
            if (text != before)
                pages[page] = text;
        }
        pages[Path.Combine(Docs, "reference", "lab.md")] = Help();
        return pages;
    }

    private static string WhatHappens(string stage)
    {
        var lines = new List<string> { "" };
        foreach (var word in Stage.Load(stage).Expectation(RunOptions.Quick)!.Split(' '))
        {
            if (lines[^1].Length + word.Length >= Columns)
                lines.Add(word);
            else
                lines[^1] += lines[^1].Length == 0 ? word : " " + word;
        }
        return string.Join('\n', lines);
    }

    private static async Task<Queue<string>> PrintedByAsync(string command, TimeProvider time)
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture);
        var nobody = new Outlet(TextWriter.Null, isTerminal: false);
        await LabCommand.RunAsync(command.Split(' '), new(new(output, isTerminal: false), nobody, time));
        return new(output.ToString().Split('\n').Select(line => line.TrimEnd()));
    }

    /// <summary>The lines that a page shows, with the figures that are printed today.</summary>
    private static string Excerpt(Match block, Queue<string> printed) =>
        string.Concat(
            block
                .Groups["shown"]
                .Value.TrimEnd('\n')
                .Split('\n')
                .Select(line =>
                {
                    while (printed.TryDequeue(out var now))
                    {
                        if (KeyOf(now) == KeyOf(line))
                            return now + "\n";
                    }
                    throw new LabException(
                        $"`./lab {block.Groups["command"].Value}` no longer prints, or not there: {line}"
                    );
                })
        );

    /// <summary>The first cell of a row, and the words of the others: figures and widths may change.</summary>
    private static (string, string) KeyOf(string line) =>
        (line.Split('│') is [_, var first, _, ..] ? first.Trim() : "", NoLetters().Replace(line, ""));

    private static string Help()
    {
        using var output = new StringWriter(CultureInfo.InvariantCulture) { NewLine = "\n" };
        output.Write(
            """
            # The `lab` command

            This page lists the verbs, options, and knobs, as `--help` prints them. `./lab docs` writes it.

            """
        );
        foreach (
            var verb in LabCommand.Parse([]).CommandResult.Command.Subcommands.Select(verb => verb.Name).Prepend("")
        )
        {
            output.Write($"\n## `{$"./lab {verb}".TrimEnd()}`\n\n```text\n{HelpOf(verb)}\n```\n");
        }

        return output.ToString();
    }

    private static string HelpOf(string verb)
    {
        var parsed = LabCommand.Parse(verb.Length == 0 ? ["--help"] : [verb, "--help"]);
        var action = parsed.CommandResult.Command.Options.OfType<HelpOption>().Single().Action;
        if (action is LongHelp withExamples)
            withExamples.MaxWidth = Columns;
        else
            ((HelpAction)action!).MaxWidth = Columns;
        using var output = new StringWriter(CultureInfo.InvariantCulture) { NewLine = "\n" };
        parsed.Invoke(new() { Output = output });
        return string.Join('\n', output.ToString().Trim().Split('\n').Select(line => line.TrimEnd()));
    }

    [GeneratedRegex(
        "(?<head><summary>What happens in stage (?<stage>[^<]+)</summary>\n\n).*?(?=\n\n</details>)",
        RegexOptions.Singleline
    )]
    private static partial Regex Told();

    [GeneratedRegex("```sh\n\\./lab (?<command>[^\n]*)\n```\n+```text\n(?<shown>.*?)```", RegexOptions.Singleline)]
    private static partial Regex Printed();

    [GeneratedRegex(@"[^\p{L}├╭╰]")]
    private static partial Regex NoLetters();
}
