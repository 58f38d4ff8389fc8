using System.Diagnostics;
using System.Net;
using System.Text;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Services.Tests.Gateway;

public sealed class ForwardTests
{
    private static readonly Dictionary<string, string?> Things = GatewayUnderTest.Route("POST", "/api/things");

    [Fact]
    public async Task Request_and_response_are_forwarded_unchanged()
    {
        await using var gateway = await GatewayUnderTest.StartAsync(Things);
        gateway.Backend.Write = response =>
        {
            response.StatusCode = 418;
            response.Headers["X-Several"] = new(["a", "b"]);
            response.Headers.Location = "/api/things/1";
            response.ContentType = "application/x-thing";
            return response.WriteAsync("thing");
        };
        using var request = new HttpRequestMessage(HttpMethod.Post, "/api/things?a=b");
        request.Headers.Add("X-Several", ["c", "d"]);
        request.Headers.TryAddWithoutValidation("User-Agent", "test (x)");
        request.Content = new StringContent("body", Encoding.UTF8, "text/x");
        request.Content.Headers.Add("Content-Language", "de");

        using var answer = await gateway.Http.SendAsync(request, Cancelled);

        Assert.Equal(418, (int)answer.StatusCode);
        Assert.Equal(["a", "b"], answer.Headers.GetValues("X-Several"));
        Assert.Equal("/api/things/1", answer.Headers.Location?.ToString());
        Assert.Equal("application/x-thing", answer.Content.Headers.ContentType?.ToString());
        Assert.Equal("thing", await answer.Content.ReadAsStringAsync(Cancelled));
        var received = Assert.Single(gateway.Backend.Requests);
        Assert.Equal(
            ("POST", "/api/things?a=b", "body"),
            (received.Method, received.Target, Encoding.UTF8.GetString(received.Body))
        );
        Assert.Equal("c,d", received.Headers["X-Several"].Replace(" ", "", StringComparison.Ordinal));
        Assert.Equal("test (x)", received.Headers["User-Agent"]);
        Assert.Equal("text/x; charset=utf-8", received.Headers["Content-Type"]);
        Assert.Equal("de", received.Headers["Content-Language"]);
        Assert.Equal("4", received.Headers["Content-Length"]);
    }

    [Fact]
    public async Task Hop_by_hop_headers_are_not_forwarded()
    {
        await using var gateway = await GatewayUnderTest.StartAsync(Things);
        gateway.Backend.Write = response =>
        {
            response.Headers.Connection = "X-Of-The-Backend";
            response.Headers["X-Of-The-Backend"] = "1";
            response.Headers.KeepAlive = "timeout=5";
            response.Headers.ProxyAuthenticate = "Basic";
            response.Headers["X-For-All"] = "2";
            return response.WriteAsync("answer");
        };
        using var connection = await RawConnection.OpenAsync(gateway.Address);

        await connection.SendAsync(
            "POST /api/things HTTP/1.1\r\nHost: gateway\r\nConnection: x-of-the-client ,TE\r\n"
                + "X-Of-The-Client: 1\r\nX-For-All: 2\r\nKeep-Alive: 5\r\nTE: trailers\r\nTrailer: X-Late\r\nUpgrade: websocket\r\n"
                + "Proxy-Authorization: Basic x\r\nProxy-Connection: keep-alive\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}"
                + "GET / HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n"
        ); // The end of the connection.

        var answer = await connection.ReadToEndAsync();
        Assert.Contains("X-For-All: 2", answer, StringComparison.Ordinal);
        foreach (var name in (string[])["X-Of-The-Backend", "Keep-Alive", "Proxy-Authenticate"])
            Assert.DoesNotContain(name, answer, StringComparison.OrdinalIgnoreCase);
        var received = Assert.Single(gateway.Backend.Requests).Headers;
        Assert.Equal("2", received["X-For-All"]);
        foreach (
            var name in (string[])
                [
                    "X-Of-The-Client",
                    "Keep-Alive",
                    "TE",
                    "Upgrade",
                    "Connection",
                    "Expect",
                    "Proxy-Authorization",
                    "Proxy-Connection",
                ]
        )
        {
            Assert.DoesNotContain(name, received.Keys, StringComparer.OrdinalIgnoreCase);
        }
    }

    [Fact]
    public async Task Forwarded_headers_come_only_from_the_gateway()
    {
        await using var gateway = await GatewayUnderTest.StartAsync(Things);
        string[] names =
        [
            "X-Forwarded-For",
            "X-Forwarded-Host",
            "X-Forwarded-Proto",
            "X-Forwarded-Prefix",
            "Forwarded",
        ];

        using var answer = await gateway.Http.SendAsync(
            HttpMethod.Post,
            "/api/things",
            null,
            [("Host", "drones.example"), .. names.Select(name => (name, "for=10.0.0.1"))]
        );

        var received = Assert.Single(gateway.Backend.Requests).Headers;
        Assert.Equal("127.0.0.1", received["X-Forwarded-For"]);
        Assert.Equal("drones.example", received["X-Forwarded-Host"]);
        Assert.Equal("http", received["X-Forwarded-Proto"]);
        Assert.DoesNotContain("Forwarded", received.Keys);
        Assert.DoesNotContain("X-Forwarded-Prefix", received.Keys);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Trace_continues_behind_the_gateway(bool isTraced)
    {
        const string trace = "0af7651916cd43dd8448eb211c80319c",
            client = "b7ad6b7169203331";
        using var telemetry = new ActivityListener
        {
            ShouldListenTo = source => isTraced && source.Name == "Microsoft.AspNetCore",
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
        };
        ActivitySource.AddActivityListener(telemetry);
        await using var gateway = await GatewayUnderTest.StartAsync(Things);
        (string, string)[] told = [("traceparent", $"00-{trace}-{client}-01"), ("baggage", "deliveryId=victim")];

        using var answer = await gateway.Http.SendAsync(HttpMethod.Post, "/api/things", null, told);

        var received = Assert.Single(gateway.Backend.Requests).Headers;
        Assert.DoesNotContain("baggage", received.Keys, StringComparer.OrdinalIgnoreCase);
        var sent = received["traceparent"];
        Assert.StartsWith($"00-{trace}-", sent, StringComparison.Ordinal);
        if (isTraced)
            Assert.DoesNotContain(client, sent, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1, false)]
    [InlineData(1, true)]
    [InlineData(0, false)]
    public async Task Body_over_a_mebibyte_is_rejected_on_every_route(int more, bool chunked)
    {
        await using var gateway = await GatewayUnderTest.StartAsync(Things);
        using var body = new ByteArrayContent(new byte[1024 * 1024 + more]);
        using var request = new HttpRequestMessage(HttpMethod.Post, "/api/things") { Content = body };
        request.Headers.TransferEncodingChunked = chunked;
        request.Headers.ExpectContinue = true; // Otherwise, the response could be lost behind unread bytes.

        using var answer = await gateway.Http.SendAsync(request, Cancelled);

        Assert.Equal(more > 0 ? HttpStatusCode.RequestEntityTooLarge : HttpStatusCode.OK, answer.StatusCode);
        Assert.Equal(1 - more, gateway.Backend.Requests.Count);
    }

    [Fact]
    public async Task Requests_are_sent_only_to_responding_replicas()
    {
        await using var second = await FakeReplica.StartAsync();
        await using var gateway = await GatewayUnderTest.StartAsync(
            Things
                .And(GatewayUnderTest.Replica(1), second.Address)
                .And(GatewayUnderTest.Replica(2), "http://127.0.0.1:1")
        );

        for (var i = 0; i < 12; i++)
        {
            using var answer = await gateway.Http.SendAsync(HttpMethod.Post, "/api/things", "{}");
            Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        }

        Assert.Equal(12, gateway.Backend.Requests.Count + second.Requests.Count);
        Assert.NotEmpty(gateway.Backend.Requests);
        Assert.NotEmpty(second.Requests);
    }
}
