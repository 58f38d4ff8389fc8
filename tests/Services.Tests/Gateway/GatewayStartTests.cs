namespace DroneDelivery.Services.Tests.Gateway;

/// <summary>A mistake in the settings ends the process with one line that names the setting. A key is never in it.</summary>
public sealed class GatewayStartTests
{
    private const string Route = "Gateway:Routes:0";

    [Theory]
    [InlineData("Gateway:Keys:test", "short", "Gateway:Keys:test")]
    [InlineData("Gateway:Keys:test", "a key with spaces in it", "Gateway:Keys:test")]
    [InlineData("Gateway:Kays:test", "x", "Kays")]
    [InlineData("Gateway:SchemaRefresh", "00:00:00", "Gateway:SchemaRefresh")]
    [InlineData("Gateway:SchemaRefresh", "soon", "Gateway:SchemaRefresh")]
    [InlineData("Gateway:PolicyFile", "nowhere.json", "Gateway:PolicyFile")]
    [InlineData(Route + ":Method", "FETCH", Route + ":Method")]
    [InlineData(Route + ":Method", "", Route + ":Method")]
    [InlineData(Route + ":Path", "api/things", Route + ":Path")]
    [InlineData(Route + ":Path", "/api/{id", Route + ":Path")]
    [InlineData(Route + ":Path", "/health/live", Route + ":Path")]
    [InlineData(Route + ":Forward", "false", Route + ":Forward")]
    [InlineData(Route + ":Forward", "perhaps", Route + ":Forward")]
    [InlineData(Route + ":Timeout", "00:00:00", Route + ":Timeout")]
    [InlineData(Route + ":RateLimit:Permits", "0", Route + ":RateLimit:Permits")]
    [InlineData(Route + ":RateLimit:Window", "00:00:00", Route + ":RateLimit:Window")]
    [InlineData(Route + ":ReturnResponse:Status", "99", Route + ":ReturnResponse:Status")]
    [InlineData(Route + ":ReturnResponse:Status", "200", Route + ":Forward")]
    [InlineData(Route + ":ValidateContent:MaxBytes", "0", Route + ":ValidateContent:MaxBytes")]
    [InlineData(Route + ":ValidateContent:MaxBytes", "2000000", Route + ":ValidateContent:MaxBytes")]
    [InlineData(Route + ":ValidateContent:ContentType", "json", Route + ":ValidateContent:ContentType")]
    [InlineData(Route + ":ValidateContent:MaxBytes", "100", Route + ":ValidateContent:Schema")]
    [InlineData(Route + ":RequireKay", "true", "RequireKay")]
    [InlineData("Services:ingestion:0", "somewhere", "Services:ingestion:0")]
    public async Task A_wrong_setting_is_named(string setting, string value, string named)
    {
        var good = new Dictionary<string, string?>
        {
            ["Gateway:Keys:test"] = GatewayUnderTest.Key,
            [$"{Route}:Method"] = "POST",
            [$"{Route}:Path"] = "/api/things",
            [$"{Route}:Forward"] = "true",
        };

        await AssertRefusedAsync(good.And(setting, value), named);
    }

    [Fact]
    public async Task An_empty_answer_has_no_body() => await AssertRefusedAsync(
        GatewayUnderTest.RouteAt(0, "GET", "/api/a", ("ReturnResponse:Status", "204"), ("ReturnResponse:Body", "x")),
        $"{Route}:ReturnResponse:Body");

    [Fact]
    public async Task Routes_come_from_one_place() => await AssertRefusedAsync(
        GatewayUnderTest.Route("GET", "/api/a").And("Gateway:PolicyFile", "policies.json"), "Gateway:PolicyFile");

    [Fact]
    public async Task There_is_no_default_key() => await AssertRefusedAsync([], "Gateway:Keys:NAME");

    [Fact]
    public async Task A_limit_by_key_needs_a_key() => await AssertRefusedAsync(
        GatewayUnderTest.Route("GET", "/api/a", ("RateLimit:Permits", "1"), ("RateLimit:Window", "00:00:01")), $"{Route}:RateLimit");

    [Fact]
    public async Task A_route_is_there_once() => await AssertRefusedAsync(
        GatewayUnderTest.Route("GET", "/api/a").And(GatewayUnderTest.RouteAt(1, "GET", "/API/a", ("Forward", "true"))), "Gateway:Routes:1");

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
