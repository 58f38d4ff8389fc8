namespace DroneDelivery.Lab.Tests.Documents;

/// <summary>Set <c>UPDATE_RESULTS</c> to folders of runs to write the page from them before the comparison.</summary>
public sealed class ResultsPageTests
{
    private const string Page = "docs/reference/results.md";

    [Fact]
    public void Results_list_each_check_of_the_published_stages()
    {
        if (Environment.GetEnvironmentVariable("UPDATE_RESULTS") is { Length: > 0 } folders)
            Write(folders.Split(' '));
        var page = GeneratedFile.Read(Page);

        var checks = Stage.All().Where(stage => !stage.IsVariant).SelectMany(stage => stage.Checks);

        Assert.All(checks, check => Assert.Contains($"| {check.Id} | {check.Claim} |", page, StringComparison.Ordinal));
    }

    private static void Write(string[] folders)
    {
        var runs = folders.Select(folder => RunFolder.Read(Path.Combine(Repository.Root, folder))).ToList();
        Assert.Single(runs.Select(run => run.Machine.Commit).Distinct());
        File.WriteAllText(Path.Combine(Repository.Root, Page), ResultsPage.Of(runs));
    }
}
