using System.Net.Sockets;
using DroneDelivery.Bench.Broker.Stomp;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>The broker's end of one connection: the test reads what the client sent, and says what it gets.</summary>
internal sealed class ScriptedStompBroker : IDisposable
{
    private readonly Socket _broker;
    private readonly byte[] _received = new byte[16 * 1024];
    private int _length;

    private ScriptedStompBroker(Socket broker, StompConnection client)
    {
        _broker = broker;
        Client = client;
    }

    public StompConnection Client { get; }

    public int Unread => _length + _broker.Available;

    public static async Task<ScriptedStompBroker> ConnectAsync()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var opening = StompConnection.OpenAsync(((IPEndPoint)listener.LocalEndpoint).Port);
        var broker = await listener.AcceptSocketAsync();
        await broker.SendAsync("CONNECTED\nversion:1.2\n\n\0\n"u8.ToArray());
        var scripted = new ScriptedStompBroker(broker, await opening);
        await scripted.ReadAsync("version");
        return scripted;
    }

    public async Task SayAsync(string frame) => await _broker.SendAsync(Encoding.UTF8.GetBytes(frame + "\0\n"));

    public async Task<(string Command, string Value)> ReadAsync(string header)
    {
        StompFrame frame;
        int length;
        while (!StompFrame.TryRead(_received.AsSpan(0, _length), out frame, out length))
        {
            var count = await _broker.ReceiveAsync(_received.AsMemory(_length));
            _length += count > 0 ? count : throw new EndOfStreamException("The client closed the connection.");
        }
        var answer = (
            Encoding.UTF8.GetString(frame.Command),
            Encoding.UTF8.GetString(frame.Header(Encoding.UTF8.GetBytes(header)))
        );
        _received.AsSpan(length.._length).CopyTo(_received);
        _length -= length;
        return answer;
    }

    public void Dispose()
    {
        Client.Dispose();
        _broker.Dispose();
    }
}
