namespace DroneDelivery.Services.Tests.Gateway;

/// <summary>
/// A request whose end two parsers could see in different places is not forwarded, nor is anything after it.
/// </summary>
public sealed class SmugglingTests
{
    [Theory]
    [InlineData("Content-Length: 3\r\nTransfer-Encoding: chunked")]
    [InlineData("Transfer-Encoding: chunked\r\nContent-Length: 3")]
    [InlineData("Content-Length: 3\r\nContent-Length: 4")]
    [InlineData("Content-Length : 3")]
    [InlineData("Transfer-Encoding: gzip, chunked")]
    [InlineData("Transfer-Encoding: chunked, identity")]
    [InlineData("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity")]
    public async Task Ambiguous_length_is_rejected_and_closes_the_connection(string headers)
    {
        await using var gateway = await GatewayUnderTest.StartAsync(GatewayUnderTest.Route("POST", "/api/things"));
        using var connection = await RawConnection.OpenAsync(gateway.Address);

        await connection.SendAsync(
            $"POST /api/things HTTP/1.1\r\nHost: gateway\r\n{headers}\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                + "POST /api/things HTTP/1.1\r\nHost: gateway\r\nContent-Length: 0\r\n\r\n"
        );

        var answers = await connection.ReadToEndAsync();
        Assert.StartsWith("HTTP/1.1 400 ", answers, StringComparison.Ordinal);
        Assert.Equal(1, answers.Split("HTTP/1.1 ").Length - 1);
        Assert.Empty(gateway.Backend.Requests);
    }

    [Fact]
    public async Task Chunked_body_is_forwarded_chunked()
    {
        await using var gateway = await GatewayUnderTest.StartAsync(GatewayUnderTest.Route("POST", "/api/things"));
        using var connection = await RawConnection.OpenAsync(gateway.Address);

        await connection.SendAsync(
            "POST /api/things HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\nTransfer-Encoding: Chunked\r\n\r\n"
                + "3;note=x\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: t\r\n\r\n"
        );

        Assert.StartsWith("HTTP/1.1 200 ", await connection.ReadToEndAsync(), StringComparison.Ordinal);
        var received = Assert.Single(gateway.Backend.Requests);
        Assert.Equal("abcde"u8.ToArray(), received.Body);
        Assert.Equal("chunked", received.Headers["Transfer-Encoding"]);
        Assert.DoesNotContain("X-Trailer", received.Headers.Keys);
    }
}
