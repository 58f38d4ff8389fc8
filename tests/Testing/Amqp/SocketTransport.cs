using System.IO.Pipelines;
using System.Net.Sockets;

namespace DroneDelivery.Testing.Amqp;

/// <summary>A TCP connection as a pipe.</summary>
internal sealed class SocketTransport : IDuplexPipe, IAsyncDisposable
{
    private const int ReadBufferSize = 64 * 1024;

    private readonly NetworkStream _stream;

    private SocketTransport(NetworkStream stream)
    {
        _stream = stream;
        Input = PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: ReadBufferSize));
        Output = PipeWriter.Create(stream);
    }

    public PipeReader Input { get; }
    public PipeWriter Output { get; }

    public static async Task<SocketTransport> DialAsync(string host, int port, CancellationToken cancellationToken)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try
        {
            await socket.ConnectAsync(host, port, cancellationToken);
            return new SocketTransport(new NetworkStream(socket, ownsSocket: true));
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    public ValueTask DisposeAsync() => _stream.DisposeAsync();
}
