namespace Azure.Messaging.ServiceBus.Tests.Surface;

/// <summary>
/// What this library offers exists in the Azure SDK, alike: code that compiles against the one compiles against the other.
/// </summary>
public sealed class PublicSurfaceTests
{
    private static readonly string[] Published =
    [
        .. File.ReadAllLines(Path.Combine(AppContext.BaseDirectory, "Surface", "published.txt"))
            .Where(line => !line.StartsWith('#')),
    ];

    private static readonly string[] Ours = [.. PublicSurface.Of(typeof(ServiceBusClient).Assembly)];

    [Fact]
    public void Every_public_member_is_published_by_the_Azure_SDK() => Assert.Empty(Ours.Except(Published));

    [Fact]
    public void Every_listed_member_is_offered() => Assert.Empty(Published.Except(Ours));

    [Fact]
    public void The_README_counts_them()
    {
        var types = Published.Select(line => line.Split(" | ")[0]).Distinct().Count();

        var readme = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Surface", "README.md"));

        Assert.Contains($"offers {types} types with {Published.Length - types} members", readme, StringComparison.Ordinal);
    }
}
