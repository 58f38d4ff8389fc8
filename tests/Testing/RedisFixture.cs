using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Xunit;

namespace DroneDelivery.Testing;

/// <summary>A redis-server for one test: on an available port and without persistence.</summary>
public sealed class RedisFixture : IAsyncDisposable
{
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(60);

    private readonly ReservedPort _port = new();
    private Process? _server;

    private RedisFixture() { }

    /// <summary>If <c>false</c>, skip the test with <see cref="HowToInstall"/> as the reason.</summary>
    public static bool IsInstalled { get; } =
        (Environment.GetEnvironmentVariable("PATH") ?? "")
            .Split(Path.PathSeparator)
            .Any(folder => File.Exists(Path.Combine(folder, "redis-server")));

    public static string HowToInstall =>
        "redis-server is not on PATH: apt-get install redis-server, or brew install redis.";

    public int Port => _port.Number;

    public string ConnectionString => $"127.0.0.1:{Port}";

    public static async Task<RedisFixture> StartAsync(CancellationToken cancellationToken = default)
    {
        Assert.SkipUnless(IsInstalled, HowToInstall);
        var redis = new RedisFixture();
        try
        {
            await redis.StartServerAsync(cancellationToken);
            return redis;
        }
        catch
        {
            await redis.DisposeAsync();
            throw;
        }
    }

    /// <summary>Starts an empty server on the same port after <see cref="StopAsync"/>.</summary>
    public async Task StartServerAsync(CancellationToken cancellationToken = default)
    {
        var start = new ProcessStartInfo(
            "redis-server",
            [
                "--port",
                $"{Port}",
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                Path.GetTempPath(),
            ]
        )
        {
            RedirectStandardOutput = true,
        };
        _server = Process.Start(start)!;
        var ready = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _server.OutputDataReceived += (_, line) =>
        {
            if (line.Data is null)
                ready.TrySetException(new InvalidOperationException($"redis-server on port {Port} did not start."));
            else if (line.Data.Contains("Ready to accept connections", StringComparison.Ordinal))
                ready.TrySetResult();
        };
        _server.BeginOutputReadLine();
        await ready.Task.WaitAsync(StartLimit, cancellationToken);
    }

    /// <summary>Kills the server as <c>kill -9</c> does.</summary>
    public async Task StopAsync()
    {
        if (_server is null)
            return;
        _server.Kill();
        await _server.WaitForExitAsync();
        _server.Dispose();
        _server = null;
    }

    /// <param name="command">Words without spaces, for example <c>CONFIG SET maxmemory 2mb</c>.</param>
    /// <returns>The reply: a status, a number as text, or a string.</returns>
    public async Task<string> CommandAsync(string command, CancellationToken cancellationToken = default)
    {
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, Port, cancellationToken);
        var stream = client.GetStream();
        await stream.WriteAsync(Encoding.UTF8.GetBytes(command + "\r\n"), cancellationToken);
        using var reader = new StreamReader(stream, Encoding.UTF8);
        var reply = await reader.ReadLineAsync(cancellationToken)
            ?? throw new IOException("Redis closed the connection.");
        return reply[0] switch
        {
            '-' => throw new InvalidOperationException(reply[1..]),
            '$' => await ReadStringAsync(reader, int.Parse(reply.AsSpan(1), provider: null), cancellationToken),
            _ => reply[1..],
        };
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _port.Dispose();
    }

    private static async Task<string> ReadStringAsync(
        StreamReader reader,
        int length,
        CancellationToken cancellationToken
    )
    {
        var text = new char[Math.Max(length, 0)];
        await reader.ReadBlockAsync(text, cancellationToken);
        return new string(text);
    }
}
