using System.Net;
using System.Net.Sockets;

namespace DroneDelivery.Services.Tests.Gateway;

public sealed class BackendAwayTests
{
    private static readonly Dictionary<string, string?> Things = GatewayUnderTest.Route("POST", "/api/things");

    [Fact]
    public async Task Unreachable_backend_returns_503_with_RetryAfter()
    {
        await using var gateway = await GatewayUnderTest.StartAsync(
            Things.And(GatewayUnderTest.Replica(0), "http://127.0.0.1:1")
        );

        for (var i = 0; i < 3; i++)
        {
            using var answer = await gateway.Http.SendAsync(HttpMethod.Post, "/api/things", "{}");
            var problem = await answer.ReadProblemAsync(HttpStatusCode.ServiceUnavailable);
            Assert.NotNull(answer.Headers.RetryAfter);
            Assert.DoesNotContain("127.0.0.1", problem.ToString(), StringComparison.Ordinal);
        }

        Assert.Single(gateway.Logs.Lines, line => line.StartsWith("Warning", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("nonsense\r\n\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nX-Note: of the answer\r\nContent-Length: 5\r\n\r\n")]
    [InlineData("")]
    public async Task Backend_that_does_not_speak_HTTP_returns_502(string answer)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        await using var gateway = await GatewayUnderTest.StartAsync(
            Things.And(GatewayUnderTest.Replica(0), $"http://{listener.LocalEndpoint}")
        );

        var asking = gateway.Http.SendAsync(HttpMethod.Post, "/api/things", "{}");
        using (var backend = await listener.AcceptTcpClientAsync(Cancelled))
        {
            await backend.GetStream().ReadAtLeastAsync(new byte[1000], 10, throwOnEndOfStream: false, Cancelled);
            await backend.GetStream().WriteAsync(System.Text.Encoding.ASCII.GetBytes(answer), Cancelled);
            backend.Client.Shutdown(SocketShutdown.Send);
            using var told = await asking;
            await told.ReadProblemAsync(HttpStatusCode.BadGateway);
            Assert.False(told.Headers.Contains("X-Note"));
        }
    }

    [Fact]
    public async Task Silent_backend_returns_504()
    {
        await using var gateway = await GatewayUnderTest.StartAsync(
            Things.And("ReverseProxy:Clusters:ingestion:HttpRequest:ActivityTimeout", "00:00:03")
        );
        var gone = new TaskCompletionSource();
        gateway.Backend.Write = response =>
            Task.Delay(Timeout.Infinite, response.HttpContext.RequestAborted)
                .ContinueWith(_ => gone.SetResult(), TaskScheduler.Default);

        using var answer = await gateway.Http.SendAsync(HttpMethod.Post, "/api/things", "{}");

        await answer.ReadProblemAsync(HttpStatusCode.GatewayTimeout);
        await gone.Task.WaitAsync(Cancelled); // The backend is notified that the client's request ended.
    }
}
