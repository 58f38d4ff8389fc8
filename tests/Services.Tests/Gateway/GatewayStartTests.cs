namespace DroneDelivery.Services.Tests.Gateway;

/// <summary>A mistake in the settings ends the process with one line that names the setting. A key is never in it.</summary>
public sealed class GatewayStartTests
{
    private const string Route = "ReverseProxy:Routes:things", Cluster = "ReverseProxy:Clusters:ingestion";

    [Theory]
    [InlineData("Gateway:Keys:test", "short", "Gateway:Keys:test")]
    [InlineData("Gateway:Keys:test", "a key with spaces in it", "Gateway:Keys:test")]
    [InlineData("Gateway:Kays:test", "x", "Kays")]
    [InlineData("Gateway:PolicyFile", "nowhere.json", "Gateway:PolicyFile")]
    [InlineData("Gateway:RateLimits:few:Permits", "0", "Gateway:RateLimits:few:Permits")]
    [InlineData("Gateway:RateLimits:few:Window", "00:00:00", "Gateway:RateLimits:few:Window")]
    [InlineData(Route + ":RateLimiterPolicy", "many", "many")]
    [InlineData(Route + ":RateLimiterPolcy", "few", "RateLimiterPolcy")]
    [InlineData(Route + ":AuthorizationPolicy", "Everybody", "Everybody")]
    [InlineData(Route + ":MaxRequestBodySize", "large", "MaxRequestBodySize")]
    [InlineData(Route + ":ClusterId", "nobody", Route + ":ClusterId")]
    [InlineData(Route + ":Match:Path", "/api/{id", Route)]
    [InlineData(Route + ":Match:Methods:0", "F ETCH", Route)]
    [InlineData(Route + ":Transforms:0:PathPrefx", "/x", Route)]
    [InlineData(Cluster + ":Destinations:0:Address", "somewhere", Cluster)]
    [InlineData(Cluster + ":HttpRequest:ActivityTimeout", "00:00:00", Cluster)]
    [InlineData(Cluster + ":HttpRequest:ActivityTimeout", "soon", "ActivityTimeout")]
    public async Task A_wrong_setting_is_named(string setting, string value, string named) => await AssertRefusedAsync(
        new Dictionary<string, string?>
        {
            ["Gateway:Keys:test"] = GatewayUnderTest.Key,
            ["Gateway:RateLimits:few:Permits"] = "1",
            ["Gateway:RateLimits:few:Window"] = "00:00:01",
            [$"{Route}:Match:Path"] = "/api/things",
            [$"{Route}:ClusterId"] = "ingestion",
        }.And(setting, value),
        named);

    [Fact]
    public async Task There_is_no_default_key() => await AssertRefusedAsync([], "Gateway:Keys:NAME");

    private static async Task AssertRefusedAsync(Dictionary<string, string?> settings, string named)
    {
        await using var process = ServiceProcess.Start("Gateway", settings);

        Assert.Equal(1, await process.ExitCodeAsync());
        Assert.StartsWith("DroneDelivery.Gateway cannot start.", process.Errors, StringComparison.Ordinal);
        Assert.Contains(named, process.Errors, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", process.Errors, StringComparison.Ordinal);
        foreach (var key in settings.Where(pair => pair.Key.StartsWith("Gateway:Keys", StringComparison.Ordinal)))
            Assert.DoesNotContain(key.Value!, process.Errors, StringComparison.Ordinal);
    }
}
