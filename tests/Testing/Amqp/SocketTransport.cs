using System.IO.Pipelines;
using System.Net.Sockets;

namespace DroneDelivery.Testing.Amqp;

internal sealed class SocketTransport(NetworkStream stream) : IDuplexPipe, IAsyncDisposable
{
    public PipeReader Input { get; } = PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: 64 * 1024));
    public PipeWriter Output { get; } = PipeWriter.Create(stream);

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

    public ValueTask DisposeAsync() => stream.DisposeAsync();
}
