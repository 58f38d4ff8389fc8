using System.Text.Json;
using System.Text.RegularExpressions;
using DroneDelivery.Lab;
using DroneDelivery.Lab.Cli;

namespace DroneDelivery.Articles.Tests.Experiments;

public sealed class ExperimentCommandTests : IDisposable
{
    private readonly ArticlesProcess _lab = new();

    public static TheoryData<string> DocumentedCommands =>
        [
            .. Directory
                .EnumerateFiles(Path.Combine(Repository.Root, "docs"), "*.md", SearchOption.AllDirectories)
                .Append(Path.Combine(Repository.Root, "README.md"))
                .SelectMany(page => Regex.Matches(File.ReadAllText(page), @"\./lab (experiment[^`#\n\[]*)"))
                .Select(match => match.Groups[1].Value.Trim())
                .Distinct(),
        ];

    [Fact]
    public async Task Experiments_are_listed_without_a_name()
    {
        var (exitCode, output, _) = await InvokeAsync("experiment");
        var (_, json, _) = await InvokeAsync("experiment", "--json");

        Assert.Equal(0, exitCode);
        Assert.All(Experiment.All(), experiment => Assert.Contains(experiment.Name, output, StringComparison.Ordinal));
        var names = JsonDocument.Parse(json).RootElement.EnumerateArray().Select(it => $"{it.GetProperty("name")}");
        Assert.Equal(["disk-writes", "gateway-policies", "http-scale", "tracking-pixel"], names);
    }

    [Fact]
    public async Task Help_matches_the_documentation()
    {
        var page = await File.ReadAllTextAsync(
            Path.Combine(Repository.Root, "docs", "tutorials", "experiments.md"),
            Cancelled
        );
        var documented = Regex.Match(page, "```text\n(?<help>Description:.*?)```", RegexOptions.Singleline);

        var (exitCode, output, _) = await _lab.RunAsync("--help");

        Assert.Equal(0, exitCode);
        Assert.Equal(Words(output), Words(documented.Groups["help"].Value));
    }

    [Fact]
    public async Task Last_line_counts_the_checks_and_names_the_report()
    {
        var (exitCode, output, _) = await _lab.RunAsync("disk-writes", "share");

        var folder = Assert.Single(Directory.GetDirectories(_lab.Experiments));
        Assert.Equal(
            $"The run is as expected. 8 of 8 checks hold. Report: {Path.Combine(folder, "report.html")}",
            output.TrimEnd().Split('\n')[^1]
        );
        Assert.Equal(0, exitCode);
        Assert.Equal(["report.html", "run.json"], Directory.GetFiles(folder).Select(Path.GetFileName).Order());
    }

    [Fact]
    public async Task Failed_check_sets_exit_code_1()
    {
        var (exitCode, output, _) = await _lab.RunAsync("disk-writes", "share", "--set", "share.largestWrite=32");

        Assert.Equal(1, exitCode);
        Assert.Contains("disk-c does not hold with the changed settings.", output, StringComparison.Ordinal);
        Assert.Contains("5 of 8 checks hold.", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task JSON_output_equals_the_record_in_the_folder()
    {
        var (_, output, _) = await _lab.RunAsync("disk-writes", "share", "--json");

        var folder = Assert.Single(Directory.GetDirectories(_lab.Experiments));
        Assert.Equal(await File.ReadAllTextAsync(Path.Combine(folder, "run.json"), Cancelled), output.TrimEnd());
        var run = JsonDocument.Parse(output).RootElement;
        Assert.Equal("holds", $"{run.GetProperty("outcome")}");
        Assert.Equal("./lab experiment disk-writes share --json", $"{run.GetProperty("command")}");
        var variant = run.GetProperty("experiments")[0].GetProperty("variants")[0];
        Assert.Equal(
            16,
            variant.GetProperty("exhibits").GetProperty("figures").GetProperty("share.bestBuffer").GetDouble()
        );
    }

    [Theory]
    [InlineData("disk-write is not an experiment. Did you mean disk-writes?", "disk-write")]
    [InlineData("tape is not a variant of disk-writes. There are: share, disk.", "disk-writes", "tape")]
    [InlineData(
        "share.perMB is not a knob of disk-writes. Did you mean share.perMiB?",
        "disk-writes",
        "--set=share.perMB=1"
    )]
    [InlineData(
        "share.largestWrite=0: expected a number from 1 to 1024 (MiB).",
        "disk-writes",
        "--set=share.largestWrite=0"
    )]
    [InlineData("share.perMiB=much: expected a number from ", "disk-writes", "--set=share.perMiB=much")]
    [InlineData("share.largestWrite: expected KNOB=VALUE.", "disk-writes", "--set=share.largestWrite")]
    [InlineData("--set requires a single experiment instead of all.", "all", "--set", "share.perMiB=1")]
    [InlineData("Unknown option or argument: `--fast`. `./lab experiment --help` shows", "all", "--fast")]
    public async Task Invalid_input_is_rejected_in_one_line_with_exit_code_2(string message, params string[] typed)
    {
        var (exitCode, output, error) = await InvokeAsync(["experiment", .. typed]);

        Assert.Equal((2, ""), (exitCode, output));
        Assert.StartsWith(message, error, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', error.TrimEnd());
    }

    [Theory, MemberData(nameof(DocumentedCommands))]
    public void Documented_command_names_existing_variants_and_settings(string command)
    {
        var words = command.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        var parsed = ArticlesCommand.Parse(words);
        var names = parsed.GetValue<string[]>("name") ?? [];

        Assert.Empty(parsed.Errors);
        if (names is [var name, ..] && name is not (Experiment.Everything or "NAME"))
        {
            Assert.NotEmpty(Experiment.Load(name).VariantsOf(names[1..]));
            Experiment.Load(name).Parse(parsed.GetValue<string[]>("--set")!);
        }
    }

    public void Dispose() => _lab.Dispose();

    private static string[] Words(string text) => text.Split([' ', '\n', '\r'], StringSplitOptions.RemoveEmptyEntries);

    private static async Task<(int ExitCode, string Output, string Error)> InvokeAsync(params string[] words)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        var context = new LabContext(
            new(output, isTerminal: false),
            new(error, isTerminal: false),
            TimeProvider.System
        );
        var exitCode = await LabCommand.RunAsync(words, context, ArticlesCommand.Parse);
        return ((int)exitCode, output.ToString(), error.ToString());
    }
}
