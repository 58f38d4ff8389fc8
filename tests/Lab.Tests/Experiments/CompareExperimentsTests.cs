namespace DroneDelivery.Lab.Tests.Experiments;

public sealed class CompareExperimentsTests(CompareExperimentsTests.Kept kept)
    : IClassFixture<CompareExperimentsTests.Kept>
{
    private const string One = "2030-01-01T08-00-00-disk-writes",
        Other = "2030-01-01T09-00-00-disk-writes",
        Scale = "2030-01-01T10-00-00-http-scale",
        Run = "2030-01-01T11-00-00-2",
        Old = "2029-01-01T07-00-00-disk-writes",
        Damaged = "2031-01-01T07-00-00-1";

    [Theory]
    [InlineData("T08-00-00", "T09-00-00")]
    [InlineData("T08", "last-disk-writes")]
    public async Task Names_find_experiments_and_both_are_drawn_on_one_page(string first, string second)
    {
        var page = Path.Combine(kept.Experiments, Other, $"compare-{One}.html");
        File.Delete(page);

        var (exitCode, output, error) = await kept.Lab.RunAsync("compare", first, second);

        Assert.True(exitCode == 0, error);
        Assert.Contains("share.largestWrite", output, StringComparison.Ordinal);
        Assert.Matches(@"\d+ figures differ by more than noise, \d+ are within noise\.", output);
        Assert.True(File.Exists(page), error);
    }

    [Theory]
    [InlineData(
        $"{Run} is a run, {Scale} an experiment: two of a kind can be compared. "
            + "last is the newest run, last-experiment the newest experiment.",
        "last",
        "last-experiment"
    )]
    [InlineData(
        "They have no stage or variant in common: disk-writes share against http-scale c4.",
        "T08",
        "last-http-scale"
    )]
    [InlineData($"{Old} is an experiment of an older lab. Play it again.", Old, "last-experiment")]
    [InlineData($"2030-01 is ambiguous: {One}, {Other}, {Scale}, {Run}.", "2030-01", "last-experiment")]
    public async Task What_cannot_be_compared_is_one_line(string message, string first, string second)
    {
        var (exitCode, output, error) = await kept.Lab.RunAsync("compare", first, second);

        Assert.Equal((2, "", message), (exitCode, output, error.TrimEnd()));
    }

    [Fact]
    public async Task An_experiment_is_reported_and_listed_as_a_run_is_and_what_cannot_be_read_is_named()
    {
        var page = Path.Combine(kept.Experiments, Scale, "report.html");
        File.Delete(page);
        var report = await kept.Lab.RunAsync("report", "last-experiment");
        var list = await kept.Lab.RunAsync("report", "--all");

        Assert.Equal((0, page, true), (report.ExitCode, report.Output.TrimEnd(), File.Exists(page)));
        Assert.Equal(Path.Combine(kept.Lab.Artifacts, "runs", "index.html"), list.Output.TrimEnd());
        AssertHas(
            await File.ReadAllTextAsync(list.Output.TrimEnd(), Cancel),
            $"<a href=\"../experiments/{Scale}/report.html#http-scale\">http-scale</a>",
            $"<a href=\"{Run}/report.html#stage-2\">2</a>",
            $"{Damaged} has no record that can be read"
        );
    }

    [Fact]
    public async Task Results_have_what_an_experiment_checked()
    {
        var page = Path.Combine(kept.Lab.Artifacts, "results.md");
        var (exitCode, _, error) = await kept.Lab.RunAsync("docs", One, "last-http-scale", "--out", page);
        var output = File.ReadAllText(page);

        Assert.True(exitCode == 0, error);
        Assert.StartsWith("# Results", output, StringComparison.Ordinal);
        AssertHas(
            output,
            "## Quick: disk-writes, ",
            "| disk-a | 8 to 16 MiB is the best buffer for a large file | emulated | 16 MiB | 16 MiB | 8–16 MiB | holds |",
            "## Quick: http-scale, "
        );
    }

    [Theory]
    [InlineData("last-experiment", "There is no experiment in {0}/experiments yet. Play one: ./lab experiment NAME.")]
    [InlineData("T08", "T08 is not a run or an experiment in {0}. There is none yet.")]
    public async Task Where_nothing_was_played_it_says_what_to_type(string name, string message)
    {
        await using var lab = new LabProcess();

        var (exitCode, _, error) = await lab.RunAsync("compare", name, name);

        Assert.Equal((2, message.Replace("{0}", lab.Artifacts, StringComparison.Ordinal)), (exitCode, error.TrimEnd()));
    }

    public sealed class Kept : IAsyncLifetime
    {
        internal LabProcess Lab { get; } = new();

        internal string Experiments => Path.Combine(Lab.Artifacts, "experiments");

        public async ValueTask InitializeAsync()
        {
            await KeepAsync(One, "disk-writes", "share");
            await KeepAsync(Other, "disk-writes", "share", "share.largestWrite=32");
            await KeepAsync(Scale, "http-scale", "c4", "load.duration=10");
            var runs = Path.Combine(Lab.Artifacts, "runs");
            Damage(Path.Combine(Experiments, Old), "experiment.json", "[]");
            Damage(Path.Combine(Experiments, Damaged), "run.json", "{");
            RunReport.Keep(Path.Combine(runs, Run), PlayedByArithmetic.Run("run 2"), telemetry: null);
        }

        private static void Damage(string folder, string file, string text) =>
            File.WriteAllText(Path.Combine(Directory.CreateDirectory(folder).FullName, file), text);

        private async Task KeepAsync(string folder, string name, string variant, params string[] set) =>
            RunReport.Keep(
                Path.Combine(Experiments, folder),
                await PlayedExperiment.RunAsync(name, [variant], set),
                telemetry: null
            );

        public ValueTask DisposeAsync() => Lab.DisposeAsync();
    }
}
