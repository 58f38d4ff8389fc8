using System.Net;

namespace DroneDelivery.Services.Tests.Gateway;

public sealed class RoutesTests
{
    /// <summary>Sent as raw text, because a client library would normalize it.</summary>
    /// <param name="forwarded">
    /// The matched path with the unchanged query; <c>null</c> if nothing reaches Ingestion.
    /// </param>
    [Theory]
    [InlineData("/api/things/a%2fb", 400)]
    [InlineData("/api/things/a%5cb", 400)]
    [InlineData("/api/things/%252e%252e%252fsecret", 400)]
    [InlineData("/api/things/a%25b", 400)]
    [InlineData("/api/things/../../secret", 404)]
    [InlineData("/api/things/%2e%2e/%2e%2e/secret", 404)]
    [InlineData("//api/things/1", 404)]
    [InlineData("/api/things/1/parts", 404)]
    [InlineData("/api/things/1", 405, null, "PUT")]
    [InlineData("/api/things/1", 200, "/api/things/1")]
    [InlineData("/api/x/../things/1", 200, "/api/things/1")]
    [InlineData("/api/things/a%20b", 200, "/api/things/a%20b")]
    [InlineData("/api/things/%C3%A9", 200, "/api/things/%C3%A9")]
    [InlineData("/api/things/1?a=%2f..&b=c%20d&&e", 200, "/api/things/1?a=%2f..&b=c%20d&&e")]
    [InlineData("/api/things/1?q=http://other/%3f?x#", 200, "/api/things/1?q=http://other/%3f?x%23")]
    public async Task Unknown_or_ambiguous_path_is_not_forwarded(
        string target,
        int status,
        string? forwarded = null,
        string method = "GET"
    )
    {
        await using var gateway = await GatewayUnderTest.StartAsync(GatewayUnderTest.Route("GET", "/api/things/{id}"));
        using var connection = await RawConnection.OpenAsync(gateway.Address);

        await connection.SendAsync($"{method} {target} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n");

        Assert.StartsWith($"HTTP/1.1 {status} ", await connection.ReadToEndAsync(), StringComparison.Ordinal);
        Assert.Equal(forwarded is null ? [] : [forwarded], gateway.Backend.Requests.Select(request => request.Target));
    }

    [Fact]
    public async Task Policy_file_defines_routes_and_settings_override_them()
    {
        using var folder = new TemporaryFolder();
        var file = folder.Write(
            "policies.json",
            """
            { "ReverseProxy": { "Routes": { "filed": { "Match": { "Path": "/api/filed", "Methods": ["GET"] }, "ClusterId": "ingestion" } },
                                "Clusters": { "ingestion": { "HttpRequest": { "ActivityTimeout": "00:00:10" } } } } }
            """
        );
        await using var gateway = await GatewayUnderTest.StartAsync(
            new() { ["Gateway:PolicyFile"] = file, ["ReverseProxy:Routes:filed:AuthorizationPolicy"] = "Anonymous" }
        );

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
    public async Task Default_routes_are_those_of_Ingestion_behind_a_key(string method, string path, int largest)
    {
        await using var gateway = await GatewayUnderTest.StartAsync([]);

        using var stranger = await gateway.Http.SendAsync(new HttpMethod(method), path, "{}");
        using var answer = await gateway.SendAsync(
            new(method),
            path,
            new ByteArrayContent(new byte[largest]),
            GatewayUnderTest.Key
        );

        Assert.Equal((HttpStatusCode.Unauthorized, HttpStatusCode.OK), (stranger.StatusCode, answer.StatusCode));
        if (largest == 0)
            return;
        using var refused = await gateway.SendAsync(
            new(method),
            path,
            new ByteArrayContent(new byte[largest + 1]),
            GatewayUnderTest.Key
        );
        await refused.ReadProblemAsync(HttpStatusCode.RequestEntityTooLarge);
    }
}
