namespace DroneDelivery.Lab.Tests.WhatIf;

/// <summary>What a run wrote last.</summary>
public sealed class LastLineTests
{
    private static readonly string Folder = Directory.CreateTempSubdirectory("lab-last-line").FullName;

    [Theory]
    [InlineData("", "")]
    [InlineData("\n\n", "")]
    [InlineData("one", "one")]
    [InlineData("one\ntwo", "two")]
    [InlineData("one\n  two \n\n \n", "two")]
    public async Task It_is_the_last_one_that_is_not_empty(string text, string last) => Assert.Equal(last, await OfAsync(text));

    [Fact]
    public async Task Of_a_long_log_only_the_end_is_looked_at()
    {
        Assert.Equal("the end", await OfAsync(new string('ä', 100_000) + "\nthe end\n"));
        Assert.EndsWith("the end", await OfAsync(new string('x', 100_000) + "the end"), StringComparison.Ordinal);
        Assert.InRange((await OfAsync(new string('x', 100_000))).Length, 1, 4096);
    }

    [Fact]
    public async Task Nothing_was_written_yet() =>
        Assert.Equal("", await LastLine.OfAsync(Path.Combine(Folder, "none"), TestContext.Current.CancellationToken));

    private static async Task<string> OfAsync(string text)
    {
        var file = Path.Combine(Folder, $"{Guid.NewGuid():N}.log");
        await File.WriteAllTextAsync(file, text, TestContext.Current.CancellationToken);
        return await LastLine.OfAsync(file, TestContext.Current.CancellationToken);
    }
}
