using System.IO.Pipelines;
using System.Net.Security;
using System.Net.Sockets;

namespace DroneDelivery.Amqp;

/// <summary>A TCP connection, with or without TLS, as a pipe.</summary>
internal sealed class SocketTransport : IDuplexPipe, IAsyncDisposable
{
    private const int ReadBufferSize = 64 * 1024;

    private readonly Stream _stream;

    private SocketTransport(Stream stream)
    {
        _stream = stream;
        Input = PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: ReadBufferSize));
        Output = PipeWriter.Create(stream);
    }

    public PipeReader Input { get; }
    public PipeWriter Output { get; }

    public static async Task<SocketTransport> DialAsync(string host, int port, bool useTls, CancellationToken cancellationToken)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(host, port, cancellationToken);
            Stream stream = new NetworkStream(socket, ownsSocket: true);
            if (useTls)
                stream = await EncryptAsync(stream, host, cancellationToken);
            return new SocketTransport(stream);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    public ValueTask DisposeAsync() => _stream.DisposeAsync();

    private static async Task<Stream> EncryptAsync(Stream stream, string host, CancellationToken cancellationToken)
    {
        var encrypted = new SslStream(stream);
        await encrypted.AuthenticateAsClientAsync(new SslClientAuthenticationOptions { TargetHost = host }, cancellationToken);
        return encrypted;
    }
}
