using System.CommandLine;
using System.Diagnostics;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

internal sealed class DocsCommand : Verb
{
    /// <summary>What the page of results shows: two hours.</summary>
    private static readonly string[] Plays = ["run", "run 4 5 5-long --full"];

    private static readonly string Results = Path.Combine(Repository.Root, "docs", "reference", "results.md");

    private readonly Argument<string[]> _played = OptionOf.Words(
        "played",
        "Also write docs/reference/results.md from these folders of artifacts/runs, or parts of their names; "
            + "last is the newest run. All are of one commit.",
        "PLAYED"
    );

    private readonly Option<bool> _check = OptionOf.Flag(
        "--check",
        "Write nothing. Exit code 1 if a file differs from what the code says."
    );

    private readonly Option<bool> _play = OptionOf.Flag(
        "--play",
        "First play what the results show, for two hours; then write them and the pictures."
    );

    private readonly Option<bool> _pictures = OptionOf.Flag(
        "--pictures",
        "Also make docs/images from the reports of PLAYED. It needs npm and Chromium."
    );

    private readonly Option<string?> _out = OptionOf.Text(
        "--out",
        "FILE",
        "Write only the results of PLAYED, as FILE."
    );

    public DocsCommand()
        : base(
            "docs",
            "Writes what pages repeat: help, printed plans, the stages in the workshop, docs/reference/stages.md, the chart and "
                + "skaffold.yaml. On request also results and pictures."
        )
    {
        Takes(_played, _check, _play, _pictures, _out);
        HasExamples("docs", "docs --check", "docs last --pictures", "docs --play", "docs last --out mine.md");
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var (check, play, file, named) = (Get(_check), Get(_play), Get(_out), Get(_played) ?? []);
        if (!play && named is [])
            Refuse("is about PLAYED: name a run, or add --play.", _out, _pictures);
        var played = play ? await PlayAsync() : [.. named.Select(RunsOnDisk.Find)];
        var expected = file is null
            ? OverlayFiles.Expected(Stage.All()).Concat(await PrintedPages.ExpectedAsync(Clock)).ToDictionary()
            : [];
        if (played.Count > 0)
            expected[Path.GetFullPath(file ?? Results)] = ResultsOf(played);
        var drifted = OverlayFiles.Drifted(expected);
        if (!check)
            OverlayFiles.Write(expected);
        foreach (var it in drifted)
        {
            await (check ? Out.Text : Error).WriteLineAsync(
                check ? $"{it} differs from the code: run `./lab docs`." : $"{it} written."
            );
        }

        if (play || Get(_pictures))
            await DrawAsync(played);
        return check && drifted.Count > 0 ? ExitCode.Failed : ExitCode.Held;
    }

    private static string ResultsOf(IReadOnlyList<string> played)
    {
        RunRecord[] runs = [.. played.Select(RunFolder.Read)];
        var commits = runs.Select(run => run.Machine.Commit).Distinct();
        return commits.Count() == 1
            ? ResultsPage.Of(runs)
            : throw new BadInputException(
                $"They are of several commits: {string.Join(", ", commits)}. `./lab docs --play` plays all anew."
            );
    }

    private async Task<IReadOnlyList<string>> PlayAsync()
    {
        var played = new List<string>();
        foreach (var line in Plays)
        {
            var began = Clock.GetUtcNow();
            if (await LabCommand.RunAsync(line.Split(' '), Context) is ExitCode.Interrupted or ExitCode.BadInput)
                throw new OperationCanceledException();
            played.Add(RunsOnDisk.Find(RunsOnDisk.Last));
            if (RunFolder.Read(played[^1]).StartedAt < began)
                throw new LabException($"`./lab {line}` was not played: nothing is written.");
        }
        return played;
    }

    private async Task DrawAsync(IReadOnlyList<string> played)
    {
        var npm = Executable.OnPath("npm")
            ?? throw new MissingProgramException("npm is not on PATH: it makes the pictures.");
        string[] draw = ["run", "docs", "--", .. played.Select(folder => Path.Combine(folder, RunFolder.Report))];
        var folder = Path.Combine(Repository.Root, "tests", "report-browser");
        using var process = Process.Start(new ProcessStartInfo(npm, draw) { WorkingDirectory = folder })!;
        await process.WaitForExitAsync(Left);
        if (process.ExitCode != 0)
            throw new LabException($"`npm run docs` failed in {folder}: the pictures are not made.");
    }
}
