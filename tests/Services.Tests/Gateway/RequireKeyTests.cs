using System.Net;

namespace DroneDelivery.Services.Tests.Gateway;

public sealed class RequireKeyTests
{
    private const string Header = "Ocp-Apim-Subscription-Key",
        OtherKey = "the-key-of-another-one";

    private static readonly Dictionary<string, string?> Things = GatewayUnderTest
        .Route("GET", "/api/things", ("AuthorizationPolicy", ""))
        .And("Gateway:Keys:other", OtherKey);

    [Theory]
    [InlineData()]
    [InlineData("")]
    [InlineData("a-key-of-nobody-here")]
    [InlineData("A-KEY-OF-THE-TESTS")]
    [InlineData(GatewayUnderTest.Key + "," + OtherKey)]
    public async Task Missing_or_invalid_key_returns_401_with_instructions(params string[] keys)
    {
        await using var gateway = await GatewayUnderTest.StartAsync(Things);

        using var answer = await gateway.GetAsync("/api/things", keys);

        var problem = await answer.ReadProblemAsync(HttpStatusCode.Unauthorized);
        Assert.Contains(Header, problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
        Assert.Contains(Header, answer.Headers.WwwAuthenticate.ToString(), StringComparison.Ordinal);
        Assert.Empty(gateway.Backend.Requests);
    }

    [Fact]
    public async Task Two_headers_with_a_valid_key_are_rejected()
    {
        const string line = $"{Header}: {GatewayUnderTest.Key}\r\n";
        await using var gateway = await GatewayUnderTest.StartAsync(Things);
        using var connection = await RawConnection.OpenAsync(gateway.Address);

        await connection.SendAsync(
            $"GET /api/things HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n{line}{line}\r\n"
        );

        Assert.StartsWith("HTTP/1.1 401 ", await connection.ReadToEndAsync(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(GatewayUnderTest.Key)]
    [InlineData(OtherKey)]
    public async Task Subscribers_key_is_accepted_but_not_forwarded(string key)
    {
        await using var gateway = await GatewayUnderTest.StartAsync(Things);

        using var answer = await gateway.GetAsync("/api/things", key);

        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        var received = Assert.Single(gateway.Backend.Requests);
        Assert.DoesNotContain(key, received.Headers.Values);
    }

    [Fact]
    public async Task Keys_do_not_appear_in_logs_or_telemetry()
    {
        const string wrong = "a-key-that-somebody-tries";
        await using var collector = await FakeCollector.StartAsync();
        await using var gateway = await GatewayUnderTest.StartAsync(
            Things.And(collector.Settings).And("Logging:LogLevel:Default", "Trace")
        );

        foreach (var key in new[] { GatewayUnderTest.Key, wrong })
            (await gateway.GetAsync("/api/things", key)).Dispose();
        await Eventually.TrueAsync(() => collector.Of("RequestData", "gateway").Count() >= 2);

        string[] told = [.. gateway.Logs.Lines, .. collector.Items.Select(item => item.ToString())];
        Assert.DoesNotContain(told, text => text.Contains(GatewayUnderTest.Key, StringComparison.Ordinal));
        Assert.DoesNotContain(told, text => text.Contains(wrong, StringComparison.Ordinal));
    }
}
