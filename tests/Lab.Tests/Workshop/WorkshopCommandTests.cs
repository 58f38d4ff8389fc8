using System.Globalization;
using DroneDelivery.Lab.Workshop;

namespace DroneDelivery.Lab.Tests.Workshop;

/// <summary>All commands in pages and in the help.</summary>
public sealed partial class WorkshopCommandTests
{
    private static readonly string Tutorials = Path.Combine(Repository.Root, "docs", "tutorials");
    private static readonly string[] Pages =
    [
        Path.Combine(Tutorials, "workshop.md"),
        Path.Combine(Tutorials, "workshop-teacher.md"),
    ];

    private static readonly string[] Verbs =
    [
        .. LabCommand.Parse([]).CommandResult.Command.Subcommands.Select(verb => verb.Name),
    ];

    private static IEnumerable<string> AllPages =>
        (
            (string[])
                ["", "bench", "build", "docs", "helm", "infra", "k8s", "libs", "loadtest", "local", "services", "tests"]
        )
            .SelectMany(folder =>
                Directory.GetFiles(
                    Path.Combine(Repository.Root, folder),
                    "*.md",
                    folder is "" ? SearchOption.TopDirectoryOnly : SearchOption.AllDirectories
                )
            )
            .Where(page => !page.Contains("node_modules", StringComparison.Ordinal));

    public static TheoryData<string> Commands =>
        [.. AllPages.SelectMany(CommandsOf).Concat(ExamplesOfTheHelp()).Distinct()];

    /// <summary>
    /// Blocks that tests can't run because they require a cluster, Azure, or another program are marked <c>sh
    /// by-hand</c>.
    /// </summary>
    [Fact]
    public void Shell_blocks_contain_only_lab_commands() =>
        Assert.Equal(
            [],
            from page in AllPages
            from Match block in ShellBlock().Matches(TextOf(page))
            from line in block
                .Groups["lines"]
                .Value.Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
            where !line.StartsWith("./lab ", StringComparison.Ordinal)
            select $"{Path.GetRelativePath(Repository.Root, page)}: {line}"
        );

    [Theory, MemberData(nameof(Commands))]
    public void Commands_name_existing_verbs_stages_settings_and_queries(string command)
    {
        var words = ShellWords.Of(command);
        // A verb of the script, or a verb without arguments.
        if (words is ["test" or "experiment", ..] || (words is [var verb] && Verbs.Contains(verb)))
            return;
        var parsed = LabCommand.Parse(words);

        Assert.Empty(parsed.Errors);
        switch (words[0])
        {
            case "run":
                Assert.NotEmpty(ComputedRun.PlanOf(parsed).Played);
                break;
            case "up":
                RunSelection
                    .Knobs(parsed.GetValue<string[]>("--set")!, parsed.GetValue<string[]>("--replicas")!)
                    .Consistent();
                break;
            case "stages" when words.Length > 1 && words[1] is not (['-', ..] or "ID"):
                Stage.Load(words[1]);
                break;
            case "query":
                if (parsed.GetValue<string>("file") is { } file)
                    QueryFile.Read(file);
                if (parsed.GetValue<string>("--stage") is { } stage)
                    Stage.Load(stage);
                break;
            case "learn" when words.Length > 1 && !words[1].StartsWith('-'):
                ExerciseTable.Find(words[1]);
                break;
        }
    }

    [Fact]
    public void Pages_contain_all_default_stages_and_exercises()
    {
        var workshop = CommandsOf(Pages[0]);

        Assert.Superset(
            new HashSet<string> { "run 1", "run 2", "run 3", "run 4", "run 5", "run 5-long", "run 6-long" },
            workshop.ToHashSet()
        );
        var tutorials = Directory
            .GetFiles(Tutorials, "*.md", SearchOption.AllDirectories)
            .SelectMany(CommandsOf)
            .ToHashSet();
        Assert.All(ExerciseTable.All, exercise => Assert.Contains(exercise.BeginWith, tutorials));
        Assert.All(ExerciseTable.All, exercise => Assert.Contains(exercise.CheckWith, tutorials));
    }

    [Fact]
    public void Worksheet_lists_the_formulas_of_the_workshop()
    {
        var formulas = Formula().Matches(TextOf(Pages[0])).Select(match => match.Groups["formula"].Value).ToList();
        var worksheet = TextOf(Path.Combine(Tutorials, "workshop-worksheet.md"));

        Assert.NotEmpty(formulas);
        Assert.All(formulas, formula => AssertHas(worksheet, $" | {formula} |\n"));
    }

    [Fact]
    public void Teachers_page_contains_a_solution_of_every_exercise()
    {
        var commands = CommandsOf(Pages[1]);

        foreach (var exercise in ExerciseTable.OfRuns)
        {
            var runs = commands
                .Append(exercise.BeginWith)
                .Where(command => command.StartsWith("run ", StringComparison.Ordinal))
                .Where(command => ComputedRun.PlanOf(command).Played.Any(played => played.Stage.Id == exercise.Stage))
                .Select(ComputedRun.Run)
                .ToList();
            string?[] answers = exercise.Answer is null
                ? [null]
                :
                [
                    .. commands
                        .Select(ShellWords.Of)
                        .Where(words => words is ["learn", var id, "--answer", _] && id == exercise.Id)
                        .Select(words => words[3]),
                ];
            Assert.Contains(
                runs.SelectMany(run => answers.Select(answer => exercise.Check(Attempt.Of(exercise, run, answer)))),
                findings => findings.All(finding => finding.Holds == true)
            );
        }
    }

    /// <summary>The commands that only read a run, as a user enters them, on a run with all stages.</summary>
    [Fact]
    public async Task Commands_that_read_a_run_succeed()
    {
        await using var lab = new LabProcess();
        var run = Path.Combine(lab.Artifacts, "runs", "2030-01-01T08-00-00-all");
        await WriteRunAsync(run);
        var commands = Pages
            .SelectMany(CommandsOf)
            .Distinct()
            .Where(command =>
                !ExerciseTable.OfRuns.Any(exercise => exercise.Answer is not null && exercise.CheckWith == command)
            )
            .Select(ShellWords.Of)
            .Where(words => words[0] is "stages" or "query" or "learn" or "report")
            .Where(words =>
                words is not ["learn", ..] || (words is [_, var id, ..] && ExerciseTable.OfRuns.Any(it => it.Id == id))
            )
            .ToList();

        Assert.InRange(commands.Count, 15, 60);
        foreach (var words in commands)
        {
            var (exitCode, output, error) = await lab.InvokeAsync([.. words.Where(word => word != "--open")]);
            Assert.True(
                exitCode == 0 || (words[0] == "learn" && exitCode == 1),
                $"{string.Join(' ', words)}: {exitCode}, {error}"
            );
            Assert.NotEmpty(output);
        }
    }

    private static async Task WriteRunAsync(string folder)
    {
        Directory.CreateDirectory(folder);
        var telemetry = new FakeTelemetry(Path.Combine(folder, TelemetryCollector.FileName));
        foreach (var stage in Stage.All())
        {
            telemetry.Play(
                new(stage.Id, _ => 12, at => OutcomeAt(stage.Id, at)) { Load = 6, Observed = 2 },
                ComputedRun.StartOf(stage)
            );
        }
        await telemetry.Store.DisposeAsync();
        RunReport.Keep(folder, ComputedRun.Run("run"), telemetry: null);
    }

    private static MessageOutcome OutcomeAt(string stage, double at) =>
        stage == "1" && at > 3 ? MessageOutcome.OutOfMemory
        : stage == "4" && at > 3 ? MessageOutcome.LockLost
        : MessageOutcome.Completed;

    /// <summary>Returns the text after <c>./lab</c> in code lines and code spans.</summary>
    private static List<string> CommandsOf(string page) =>
        [.. Command().Matches(TextOf(page)).Select(match => match.Groups[1].Value.Split("  #")[0].Trim())];

    private static string TextOf(string page) => File.ReadAllText(page).Replace(" \\\n", "", StringComparison.Ordinal);

    private static IEnumerable<string> ExamplesOfTheHelp()
    {
        foreach (var verb in Verbs)
        {
            using var help = new StringWriter(CultureInfo.InvariantCulture);
            LabCommand.Parse([verb, "--help"]).Invoke(new() { Output = help });
            var examples = help.ToString().Split("Examples:")[1];
            foreach (
                var line in examples.Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)
            )
            {
                yield return line["./lab ".Length..];
            }
        }
    }

    [GeneratedRegex(@"^\| Formula \| (?<formula>.*) \|$", RegexOptions.Multiline)]
    private static partial Regex Formula();

    [GeneratedRegex("^ *```sh\n(?<lines>.*?)^ *```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex ShellBlock();

    [GeneratedRegex("(?:^(?: {3})?|`)\\./lab ([^`\r\n]+)", RegexOptions.Multiline)]
    private static partial Regex Command();
}
