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
    public void The_README_counts_what_is_offered()
    {
        var (types, members) = Count(Ours);
        var (allTypes, allMembers) = Count(Published);

        var readme = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "Surface", "README.md"));

        Assert.Contains($"offers {types} of {allTypes} types and {members} of {allMembers} members", readme, StringComparison.Ordinal);
    }

    private static (int Types, int Members) Count(string[] lines)
    {
        var types = lines.Select(line => line.Split(" | ")[0]).Distinct().Count();
        return (types, lines.Length - types);
    }
}
