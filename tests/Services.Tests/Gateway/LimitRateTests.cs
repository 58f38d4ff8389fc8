using System.Net;

namespace DroneDelivery.Services.Tests.Gateway;

public sealed class LimitRateTests
{
    private const string OtherKey = "the-key-of-another-one";

    [Fact]
    public async Task A_key_has_its_permits_on_the_routes_of_a_limit_together_and_then_429()
    {
        await using var gateway = await StartAsync("01:00:00.900");
        Assert.Equal(HttpStatusCode.OK, await StatusAsync(gateway, "/api/a", OtherKey)); // the next ones take no time
        for (var i = 0; i < 5; i++)
            Assert.Equal(HttpStatusCode.Unauthorized, await StatusAsync(gateway, "/api/a", "a-key-of-nobody-here")); // uses up nothing
        var began = TimeProvider.System.GetTimestamp();

        Assert.Equal(HttpStatusCode.OK, await StatusAsync(gateway, "/api/a"));
        Assert.Equal(HttpStatusCode.OK, await StatusAsync(gateway, "/api/b"));
        using var refused = await gateway.GetAsync("/api/a", GatewayUnderTest.Key);

        await refused.ReadProblemAsync(HttpStatusCode.TooManyRequests);
        var left = TimeSpan.FromSeconds(3600.9) - TimeProvider.System.GetElapsedTime(began);
        Assert.InRange(refused.Headers.RetryAfter!.Delta!.Value, left, TimeSpan.FromSeconds(3601));
        Assert.Equal(HttpStatusCode.OK, await StatusAsync(gateway, "/api/a", OtherKey));
        Assert.Equal(HttpStatusCode.OK, await StatusAsync(gateway, "/api/free"));
        Assert.Equal(5, gateway.Backend.Requests.Count);
    }

    [Fact]
    public async Task The_next_window_has_permits_again()
    {
        await using var gateway = await StartAsync("00:00:03");

        await Eventually.TrueAsync(async () => await StatusAsync(gateway, "/api/a") == HttpStatusCode.TooManyRequests);
        await Eventually.TrueAsync(async () => await StatusAsync(gateway, "/api/a") == HttpStatusCode.OK);
    }

    private static Task<GatewayUnderTest> StartAsync(string window)
    {
        (string, string)[] limited = [("AuthorizationPolicy", ""), ("RateLimiterPolicy", "few")];
        return GatewayUnderTest.StartAsync(
            GatewayUnderTest
                .Route("GET", "/api/a", limited)
                .And(GatewayUnderTest.Route("GET", "/api/b", limited))
                .And(GatewayUnderTest.Route("GET", "/api/free"))
                .And("Gateway:RateLimits:few:Permits", "2")
                .And("Gateway:RateLimits:few:Window", window)
                .And("Gateway:Keys:other", OtherKey)
        );
    }

    private static async Task<HttpStatusCode> StatusAsync(
        GatewayUnderTest gateway,
        string path,
        string key = GatewayUnderTest.Key
    )
    {
        using var answer = await gateway.GetAsync(path, key);
        return answer.StatusCode;
    }
}
