using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Services.Tests.Gateway;

/// <summary>Ingestion is gone, silent, or ends in the middle: the client is told, and nothing hangs.</summary>
public sealed class BackendAwayTests
{
    private static readonly Dictionary<string, string?> Things = GatewayUnderTest.Route("POST", "/api/things");

    private static readonly Dictionary<string, string?> Impatient =
        Things.And("ReverseProxy:Clusters:ingestion:HttpRequest:ActivityTimeout", "00:00:00.500");

    [Fact]
    public async Task A_backend_that_is_not_there_is_503_with_RetryAfter_and_logged_once()
    {
        await using var gateway = await GatewayUnderTest.StartAsync(Things.And(GatewayUnderTest.Replica(0), "http://127.0.0.1:1"));

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
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nanswer")]
    [InlineData("HTTP/1.1 200 OK\r\nX-Note: of the answer\r\nContent-Length: 5\r\n\r\n")]
    [InlineData("")]
    public async Task A_backend_that_does_not_speak_HTTP_is_502(string answer)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        await using var gateway = await GatewayUnderTest.StartAsync(
            Things.And(GatewayUnderTest.Replica(0), $"http://{listener.LocalEndpoint}"));

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
    public async Task A_backend_that_is_silent_for_too_long_is_504()
    {
        await using var gateway = await GatewayUnderTest.StartAsync(Impatient);
        var gone = new TaskCompletionSource();
        gateway.Backend.Write = response => Task.Delay(Timeout.Infinite, response.HttpContext.RequestAborted)
            .ContinueWith(_ => gone.SetResult(), TaskScheduler.Default);

        using var answer = await gateway.Http.SendAsync(HttpMethod.Post, "/api/things", "{}");

        await answer.ReadProblemAsync(HttpStatusCode.GatewayTimeout);
        await gone.Task.WaitAsync(Cancelled); // nobody waits for its answer any more, and it knows
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task An_answer_that_stops_in_the_middle_never_looks_whole(bool silent)
    {
        await using var gateway = await GatewayUnderTest.StartAsync(Impatient);
        var told = new TaskCompletionSource();
        gateway.Backend.Write = async response =>
        {
            await response.WriteAsync("half");
            await response.Body.FlushAsync();
            await told.Task;
            if (!silent)
                response.HttpContext.Abort();
            else
                await Task.Delay(Timeout.Infinite, response.HttpContext.RequestAborted);
        };
        using var connection = await RawConnection.OpenAsync(gateway.Address);
        await connection.SendAsync("POST /api/things HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");

        await connection.ReadUntilAsync("half"); // while it is being made
        told.SetResult();

        Assert.DoesNotContain("0\r\n\r\n", await ReadRestAsync(connection), StringComparison.Ordinal);
    }

    private static async Task<string> ReadRestAsync(RawConnection connection)
    {
        try
        {
            return await connection.ReadToEndAsync();
        }
        catch (IOException)
        {
            return ""; // reset: that is no end, either
        }
    }
}
