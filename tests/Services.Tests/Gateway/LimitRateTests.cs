using System.Net;

namespace DroneDelivery.Services.Tests.Gateway;

public sealed class LimitRateTests
{
    private const string OtherKey = "the-key-of-another-one";

    [Fact]
    public async Task Key_shares_its_permits_across_the_routes_of_a_limit()
    {
        await using var gateway = await StartAsync("01:00:00.900");
        // A warmup, so that the next requests are fast.
        Assert.Equal(HttpStatusCode.OK, await StatusAsync(gateway, "/api/a", OtherKey));
        // Rejected requests use no permits.
        for (var i = 0; i < 5; i++)
            Assert.Equal(HttpStatusCode.Unauthorized, await StatusAsync(gateway, "/api/a", "a-key-of-nobody-here"));
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
    public async Task Next_window_has_permits_again()
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
