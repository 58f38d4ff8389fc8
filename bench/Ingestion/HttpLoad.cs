using System.Buffers.Text;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace DroneDelivery.Bench.Ingestion;

/// <summary>
/// Posts the same body over keep-alive connections, one request at a time on each, for a number of requests. Bare sockets: HttpClient
/// would cost as much as the server that is measured.
/// </summary>
internal static class HttpLoad
{
    /// <returns>requests per second</returns>
    public static Task<double> Run(
        int port,
        string path,
        byte[] body,
        int connections,
        int requestsEach,
        int expectedStatus
    )
    {
        var request = Request(port, "POST", path, body);
        return Run(port, () => request, connections, requestsEach, expectedStatus);
    }

    /// <inheritdoc cref="Run(int, string, byte[], int, int, int)"/>
    /// <param name="request">Asked for each request: <see cref="Request"/>.</param>
    public static async Task<double> Run(
        int port,
        Func<byte[]> request,
        int connections,
        int requestsEach,
        int expectedStatus
    )
    {
        var start = Stopwatch.GetTimestamp();
        await Task.WhenAll(
            Enumerable.Range(0, connections).Select(_ => RunOne(port, request, requestsEach, expectedStatus))
        );
        return connections * requestsEach / Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    public static byte[] Request(int port, string method, string path, byte[] body, string headers = "") =>
        [
            .. Encoding.ASCII.GetBytes(
                $"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                    + $"Content-Type: application/json\r\nContent-Length: {body.Length}\r\n{headers}\r\n"
            ),
            .. body,
        ];

    private static async Task RunOne(int port, Func<byte[]> request, int count, int expectedStatus)
    {
        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await socket.ConnectAsync(IPAddress.Loopback, port);
        var buffer = new byte[16 * 1024];
        for (var sent = 0; sent < count; sent++)
        {
            await socket.SendAsync(request());
            await ReadAnswer(socket, buffer, expectedStatus);
        }
    }

    private static async Task ReadAnswer(Socket socket, byte[] buffer, int expectedStatus)
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
