namespace DroneDelivery.Lab.Tests.Experiments;

public sealed class ExperimentCommandTests
{
    [Fact]
    public async Task Without_a_name_it_lists_them_all()
    {
        var (exitCode, output, _) = await LabInMemory.TypeAsync("experiment");

        Assert.Equal(0, exitCode);
        Assert.All(Experiment.All(), experiment => Assert.Contains(experiment.Name, output, StringComparison.Ordinal));
    }

    [Fact]
    public async Task The_last_line_counts_the_checks_and_names_the_report_and_a_check_that_fails_is_the_exit_code()
    {
        await using var lab = new LabProcess();

        var (exitCode, output, _) = await lab.RunAsync("experiment", "disk-writes", "share");

        var folder = Assert.Single(Directory.GetDirectories(Path.Combine(lab.Artifacts, "experiments")));
        Assert.Equal(
            $"The run is as expected. 8 of 8 checks hold. Report: {Path.Combine(folder, "report.html")}",
            output.TrimEnd().Split('\n')[^1]
        );
        Assert.Equal(0, exitCode);
        Assert.Equal(["report.html", "run.json"], Directory.GetFiles(folder).Select(Path.GetFileName).Order());
        Assert.Equal("./lab experiment disk-writes share", RunFolder.Read(folder).Command);
        (exitCode, output, _) = await lab.RunAsync(
            "experiment",
            "disk-writes",
            "share",
            "--set",
            "share.largestWrite=32"
        );
        Assert.Equal(1, exitCode);
        AssertHas(output, "disk-c does not hold with the changed settings.", "5 of 8 checks hold.");
    }

    [Theory]
    [InlineData("disk-write is not an experiment. Did you mean disk-writes?", "experiment", "disk-write")]
    [InlineData("tape is not a variant of disk-writes. There are: share, disk.", "experiment", "disk-writes", "tape")]
    [InlineData(
        "share.perMB is not a knob of disk-writes. Did you mean share.perMiB?",
        "experiment",
        "disk-writes",
        "--set=share.perMB=1"
    )]
    [InlineData(
        "share.largestWrite=0: expected a number from 1 to 1024 (MiB).",
        "experiment",
        "disk-writes",
        "--set=share.largestWrite=0"
    )]
    [InlineData("share.perMiB=much: expected a number from ", "experiment", "disk-writes", "--set=share.perMiB=much")]
    [InlineData("share.largestWrite: expected KNOB=VALUE.", "experiment", "disk-writes", "--set=share.largestWrite")]
    [InlineData(
        "--set turns a knob of one experiment. Name it instead of all.",
        "experiment",
        "all",
        "--set",
        "share.perMiB=1"
    )]
    public async Task What_makes_no_sense_is_one_line_and_starts_nothing(string message, params string[] typed)
    {
        var experiments = Path.Combine(Lab.Repository.Artifacts, "experiments");

        await LabInMemory.RefusesAsync(message, typed);

        Assert.False(Directory.Exists(experiments));
    }
}
