using System.Net;

namespace DroneDelivery.Services.Tests.Gateway;

/// <summary>Which requests have a route, and where routes come from.</summary>
public sealed class RoutesTests
{
    [Fact]
    public async Task A_method_without_a_route_is_405_and_says_which_there_are()
    {
        await using var gateway = await GatewayUnderTest.StartAsync(GatewayUnderTest.Route("GET", "/api/things/{id}"));

        using var answer = await gateway.Http.SendAsync(HttpMethod.Put, "/api/things/1", "{}");

        await answer.ReadProblemAsync(HttpStatusCode.MethodNotAllowed);
        Assert.Equal(["GET"], answer.Content.Headers.Allow);
        Assert.Empty(gateway.Backend.Requests);
    }

    /// <summary>Written raw: a client library would mend them.</summary>
    [Theory]
    [InlineData("/api/things/a%2fb", 400)]
    [InlineData("/api/things/..%2F..%2Fsecret", 400)]
    [InlineData("/api/things/a%5cb", 400)]
    [InlineData("/api/things/..\\..\\secret", 400)]
    [InlineData("/api/things/%252e%252e%252fsecret", 400)]
    [InlineData("/api/things/a%25b", 400)]
    [InlineData("/api/things/%00", 400)]
    [InlineData("http://elsewhere/api/things/1", 400)] // the Host header says another one
    [InlineData("/api/things/../../secret", 404)]
    [InlineData("/api/things/%2e%2e/%2e%2e/secret", 404)]
    [InlineData("/api/things/x/../../../secret", 404)]
    [InlineData("//api/things/1", 404)]
    [InlineData("http://gateway/secret", 404)]
    [InlineData("/api/things/x/..", 404)]
    [InlineData("/", 404)]
    [InlineData("/api/thing", 404)]
    [InlineData("/api/things/1/parts", 404)]
    [InlineData("/api/packages/1", 404)]
    public async Task A_path_without_a_route_or_that_could_mean_another_one_reaches_nothing(string target, int status)
    {
        await using var gateway = await GatewayUnderTest.StartAsync(GatewayUnderTest.Route("GET", "/api/things/{id}"));
        using var connection = await RawConnection.OpenAsync(gateway.Address);

        await connection.SendAsync($"GET {target} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n");

        Assert.StartsWith($"HTTP/1.1 {status} ", await connection.ReadToEndAsync(), StringComparison.Ordinal);
        Assert.Empty(gateway.Backend.Requests);
    }

    [Theory]
    [InlineData("/api/things/1", "/api/things/1")]
    [InlineData("/api/x/../things/1", "/api/things/1")]
    [InlineData("/api/things/a~b@c.d", "/api/things/a~b@c.d")]
    [InlineData("/api/things/a%20b", "/api/things/a%20b")]
    [InlineData("/api/things/%41", "/api/things/A")]
    [InlineData("/api/things/%C3%A9", "/api/things/%C3%A9")]
    [InlineData("/API/Things/1", "/API/Things/1")]
    [InlineData("http://gateway/api/things/1", "/api/things/1")]
    [InlineData("/api/things/1?a=%2f..&b=c%20d&&e", "/api/things/1?a=%2f..&b=c%20d&&e")]
    [InlineData("/api/things/1?q=http://other/%3f?x#", "/api/things/1?q=http://other/%3f?x%23")]
    public async Task Ingestion_gets_the_path_that_was_matched_and_the_query_as_it_is(string target, string expected)
    {
        await using var gateway = await GatewayUnderTest.StartAsync(GatewayUnderTest.Route("GET", "/api/things/{id}"));
        using var connection = await RawConnection.OpenAsync(gateway.Address);

        await connection.SendAsync($"GET {target} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n");

        Assert.StartsWith("HTTP/1.1 200 ", await connection.ReadToEndAsync(), StringComparison.Ordinal);
        Assert.Equal(expected, Assert.Single(gateway.Backend.Requests).Target);
    }

    [Fact]
    public async Task A_file_can_have_the_routes_and_a_setting_changes_a_part_of_them()
    {
        using var folder = new TemporaryFolder();
        var file = folder.Write("policies.json", """
            { "ReverseProxy": { "Routes": { "filed": { "Match": { "Path": "/api/filed", "Methods": ["GET"] }, "ClusterId": "ingestion" } },
                                "Clusters": { "ingestion": { "HttpRequest": { "ActivityTimeout": "00:00:10" } } } } }
            """);
        await using var gateway = await GatewayUnderTest.StartAsync(
            new() { ["Gateway:PolicyFile"] = file, ["ReverseProxy:Routes:filed:AuthorizationPolicy"] = "Anonymous" });

        using var filed = await gateway.Http.SendAsync(HttpMethod.Get, "/api/filed");
        using var other = await gateway.Http.SendAsync(HttpMethod.Post, "/api/deliveryrequests", "{}");

        Assert.Equal(HttpStatusCode.OK, filed.StatusCode);
        await other.ReadProblemAsync(HttpStatusCode.NotFound);
    }

    [Theory]
    [InlineData("POST", "/api/deliveryrequests", 64 * 1024)]
    [InlineData("PATCH", "/api/deliveryrequests/1", 64 * 1024)]
    [InlineData("GET", "/api/deliveryrequests/1", 0)]
    [InlineData("DELETE", "/api/deliveryrequests/1", 0)]
    public async Task Without_any_setting_the_routes_are_those_of_Ingestion_behind_a_key(string method, string path, int largest)
    {
        await using var gateway = await GatewayUnderTest.StartAsync([]);

        using var stranger = await gateway.Http.SendAsync(new HttpMethod(method), path, "{}");
        using var answer = await gateway.SendAsync(
            new(method), path, new ByteArrayContent(new byte[largest]), GatewayUnderTest.Key);

        Assert.Equal((HttpStatusCode.Unauthorized, HttpStatusCode.OK), (stranger.StatusCode, answer.StatusCode));
        if (largest == 0)
            return;
        using var refused = await gateway.SendAsync(
            new(method), path, new ByteArrayContent(new byte[largest + 1]), GatewayUnderTest.Key);
        await refused.ReadProblemAsync(HttpStatusCode.RequestEntityTooLarge);
    }
}
