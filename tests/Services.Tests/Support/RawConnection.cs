using System.Net.Sockets;
using System.Text;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>Bytes on a socket, for requests that no client library would send.</summary>
internal sealed class RawConnection : IDisposable
{
    private readonly TcpClient _client = new() { NoDelay = true };

    public static async Task<RawConnection> OpenAsync(Uri address)
    {
        var connection = new RawConnection();
        await connection._client.ConnectAsync(address.Host, address.Port, Cancelled);
        return connection;
    }

    public ValueTask SendAsync(string text) => _client.GetStream().WriteAsync(Encoding.Latin1.GetBytes(text), Cancelled);

    /// <summary>Up to the end of the connection.</summary>
    public async Task<string> ReadToEndAsync()
    {
        using var reader = new StreamReader(_client.GetStream(), Encoding.Latin1);
        return await reader.ReadToEndAsync(Cancelled);
    }

    /// <summary>Until what has come contains a text.</summary>
    public async Task<string> ReadUntilAsync(string text)
    {
        var all = new StringBuilder();
        var buffer = new byte[4096];
        while (!all.ToString().Contains(text, StringComparison.Ordinal))
        {
            var read = await _client.GetStream().ReadAsync(buffer, Cancelled);
            Assert.True(read > 0, $"The connection ended after: {all}");
            all.Append(Encoding.Latin1.GetString(buffer, 0, read));
        }
        return all.ToString();
    }

    public void Dispose() => _client.Dispose();
}
