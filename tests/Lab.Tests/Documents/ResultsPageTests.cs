namespace DroneDelivery.Lab.Tests.Documents;

/// <summary><c>UPDATE_RESULTS</c> names folders of runs, from which the page is written before it is compared.</summary>
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
