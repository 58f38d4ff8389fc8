using System.Net.Sockets;
using System.Text;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>Raw bytes on a socket, for requests that no client library sends.</summary>
internal sealed class RawConnection : IDisposable
{
    private readonly TcpClient _client = new() { NoDelay = true };

    public static async Task<RawConnection> OpenAsync(Uri address)
    {
        var connection = new RawConnection();
        await connection._client.ConnectAsync(address.Host, address.Port, Cancelled);
        return connection;
    }

    public ValueTask SendAsync(string text) =>
        _client.GetStream().WriteAsync(Encoding.Latin1.GetBytes(text), Cancelled);

    public async Task<string> ReadToEndAsync()
    {
        using var reader = new StreamReader(_client.GetStream(), Encoding.Latin1);
        return await reader.ReadToEndAsync(Cancelled);
    }

    public void Dispose() => _client.Dispose();
}
