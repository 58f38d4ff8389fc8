using System.Buffers;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace DroneDelivery.Bench.Broker.Stomp;

/// <summary>
/// A connection to a broker. Whoever reads it writes it, so it needs no lock: frames are gathered and go out together after all that
/// was read is handled.
/// </summary>
internal sealed class StompConnection : IDisposable
{
    private const int LongestFrame = 64 * 1024;

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
    {
        NoDelay = true,
    };
    private readonly byte[] _received = new byte[LongestFrame];
    private readonly ArrayBufferWriter<byte> _unsent = new();
    private int _start;
    private int _end;

    public static async Task<StompConnection> OpenAsync(int port)
    {
        var connection = new StompConnection();
        await connection._socket.ConnectAsync(IPAddress.Loopback, port);
        connection.Write("CONNECT", ("accept-version", "1.2"), ("host", "localhost"), ("heart-beat", "0,0"));
        await connection.FlushAsync();
        await connection.ReadAsync();
        if (!connection.TryTake(out var answer) || !answer.Is("CONNECTED"u8))
            throw new InvalidDataException("The broker did not answer CONNECT with CONNECTED.");
        return connection;
    }

    /// <summary>Values hold no character that STOMP escapes.</summary>
    public void Write(string command, params ReadOnlySpan<(string Name, string Value)> headers)
    {
        Write(Encoding.UTF8.GetBytes(command));
        foreach (var (name, value) in headers)
            Write(Encoding.UTF8.GetBytes($"\n{name}:{value}"));
        Write("\n\n\0"u8);
    }

    /// <summary>A part of a frame.</summary>
    public void Write(ReadOnlySpan<byte> bytes) => _unsent.Write(bytes);

    public async Task FlushAsync()
    {
        for (var unsent = _unsent.WrittenMemory; !unsent.IsEmpty; )
            unsent = unsent[await _socket.SendAsync(unsent)..];
        _unsent.ResetWrittenCount();
    }

    /// <summary>Waits for bytes, perhaps less than a frame.</summary>
    public async Task ReadAsync()
    {
        _received.AsSpan(_start.._end).CopyTo(_received);
        (_start, _end) = (0, _end - _start);
        if (_end == LongestFrame)
            throw new InvalidDataException($"The broker sent a frame of more than {LongestFrame} bytes.");
        var count = await _socket.ReceiveAsync(_received.AsMemory(_end));
        if (count == 0)
            throw new EndOfStreamException("The broker closed the connection.");
        _end += count;
    }

    /// <returns>False: the next frame has not arrived.</returns>
    public bool TryTake(out StompFrame frame)
    {
        if (!StompFrame.TryRead(_received.AsSpan(_start.._end), out frame, out var length))
            return false;
        _start += length;
        if (frame.Is("ERROR"u8))
        {
            throw new InvalidOperationException(
                $"The broker answered: {Encoding.UTF8.GetString(frame.Header("message"u8))}"
            );
        }

        return true;
    }

    public void Dispose() => _socket.Dispose();
}
