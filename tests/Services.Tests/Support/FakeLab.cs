using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Net.Sockets;
using System.Text;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>The lab's end of one replica's CPU gate, byte by byte. The test ends the holds.</summary>
internal sealed class FakeLab : IAsyncDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("lab-");
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly ConcurrentQueue<byte[]> _holds = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _serving;
    private Socket? _replica;
    private int _asked;

    public FakeLab()
    {
        _listener.Bind(new UnixDomainSocketEndPoint(SocketPath));
        _listener.Listen();
        _serving = ServeAsync();
    }

    public string SocketPath => Path.Combine(_folder.FullName, "s");

    public (int Version, int Cost, string Name) Greeting { get; private set; }

    public int Asked => Volatile.Read(ref _asked);

    /// <summary>Ends the oldest hold, which must exist.</summary>
    public void EndOne()
    {
        Assert.True(_holds.TryDequeue(out var id), "No hold is waiting.");
        _replica!.Send(id);
    }

    public Dictionary<string, string?> Settings(string replica, double milliseconds) =>
        new()
        {
            ["Emulation:CpuGate:Socket"] = SocketPath,
            ["Emulation:CpuGate:Replica"] = replica,
            ["Emulation:CpuGate:CostMilliseconds"] = FormattableString.Invariant($"{milliseconds}"),
        };

    public async Task EndAsync()
    {
        await _stop.CancelAsync();
        await _serving;
    }

    public async ValueTask DisposeAsync()
    {
        await EndAsync();
        _stop.Dispose();
        _listener.Dispose();
        _folder.Delete(recursive: true);
    }

    private async Task ServeAsync()
    {
        try
        {
            using var replica = _replica = await _listener.AcceptAsync(_stop.Token);
            await using var stream = new NetworkStream(replica);
            var start = await ReadAsync(stream, 6);
            Greeting = (
                start[0],
                BinaryPrimitives.ReadInt32LittleEndian(start.AsSpan(1)),
                Encoding.UTF8.GetString(await ReadAsync(stream, start[5]))
            );
            await stream.WriteAsync(new byte[] { 0 }, _stop.Token);
            while (true)
            {
                _holds.Enqueue(await ReadAsync(stream, 4));
                Interlocked.Increment(ref _asked);
            }
        }
        catch (Exception exception) when (exception is OperationCanceledException or IOException) { }
    }

    private async Task<byte[]> ReadAsync(NetworkStream stream, int count)
    {
        var bytes = new byte[count];
        await stream.ReadExactlyAsync(bytes, _stop.Token);
        return bytes;
    }
}
