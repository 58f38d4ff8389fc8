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
    public async Task A_wrong_setting_is_named(string setting, string value, string named)
    {
        var settings = new Dictionary<string, string?>
        {
            ["Gateway:Keys:test"] = GatewayUnderTest.Key,
            ["Gateway:RateLimits:few:Permits"] = "1",
            ["Gateway:RateLimits:few:Window"] = "00:00:01",
            [$"{Route}:Match:Path"] = "/api/things",
            [$"{Route}:ClusterId"] = "ingestion",
        }.And(setting, value);

        var line = await ServiceProcess.RefusalAsync("Gateway", settings);

        Assert.Contains(named, line, StringComparison.Ordinal);
        Assert.DoesNotContain(settings["Gateway:Keys:test"]!, line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task There_is_no_default_key() =>
        Assert.Contains("Gateway:Keys:NAME", await ServiceProcess.RefusalAsync("Gateway", []), StringComparison.Ordinal);
}
