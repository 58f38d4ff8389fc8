using System.Buffers.Text;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using DroneDelivery.Contracts;

namespace DroneDelivery.Bench.Services;

/// <summary>
/// Sends requests over keep-alive connections, one at a time each. Uses sockets, because HttpClient would cost as much as the measured
/// server.
/// </summary>
internal static class HttpLoad
{
    public const int Connections = 64;

    /// <param name="request">Creates each request; see <see cref="Request"/>.</param>
    /// <param name="count">The number of requests over all connections.</param>
    public static Task RunAsync(int port, Func<byte[]> request, int count, int expectedStatus) =>
        Task.WhenAll(
            Enumerable
                .Range(0, Connections)
                .Select(_ => RunOneAsync(port, request, count / Connections, expectedStatus))
        );

    public static byte[] Request<T>(int port, string method, string path, T body, string headers = "")
    {
        var json = JsonSerializer.SerializeToUtf8Bytes(body, ContractJson.Options);
        return
        [
            .. Encoding.ASCII.GetBytes(
                $"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                    + $"Content-Type: application/json\r\nContent-Length: {json.Length}\r\n{headers}\r\n"
            ),
            .. json,
        ];
    }

    public static async Task<Socket> ConnectAsync(int port)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await socket.ConnectAsync(IPAddress.Loopback, port);
        return socket;
    }

    private static async Task RunOneAsync(int port, Func<byte[]> request, int count, int expectedStatus)
    {
        using var socket = await ConnectAsync(port);
        var buffer = new byte[16 * 1024];
        for (var sent = 0; sent < count; sent++)
        {
            await socket.SendAsync(request());
            await ReadAnswerAsync(socket, buffer, expectedStatus);
        }
    }

    private static async Task ReadAnswerAsync(Socket socket, byte[] buffer, int expectedStatus)
    {
        var length = 0;
        while (!IsWhole(buffer.AsSpan(0, length), expectedStatus))
        {
            var read = await socket.ReceiveAsync(buffer.AsMemory(length));
            if (read == 0)
                throw new InvalidOperationException("The server closed the connection.");
            length += read;
        }
    }

    private static bool IsWhole(ReadOnlySpan<byte> answer, int expectedStatus)
    {
        var end = answer.IndexOf("\r\n\r\n"u8);
        if (end < 0)
            return false;
        var head = answer[..end];
        if (!Utf8Parser.TryParse(head[9..], out int status, out _) || status != expectedStatus)
        {
            throw new InvalidOperationException(
                $"Expected status {expectedStatus}, got: {Encoding.UTF8.GetString(answer)}"
            );
        }

        if (head.IndexOf("Transfer-Encoding: chunked"u8) >= 0)
            return answer.EndsWith("0\r\n\r\n"u8);
        var field = head.IndexOf("Content-Length: "u8);
        var body = field >= 0 && Utf8Parser.TryParse(head[(field + 16)..], out int length, out _) ? length : 0;
        return answer.Length >= end + 4 + body;
    }
}
