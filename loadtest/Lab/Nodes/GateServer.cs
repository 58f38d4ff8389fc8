using System.Net.Sockets;
using DroneDelivery.ServiceDefaults.Emulation.Gate;

namespace DroneDelivery.Lab.Nodes;

/// <summary>The lab's end of <see cref="GateProtocol"/>: one Unix domain socket for all nodes.</summary>
internal sealed class GateServer : IAsyncDisposable
{
    /// <summary>Bytes that a socket's path may have (104 on macOS, 108 on Linux, the end included).</summary>
    private const int LongestPath = 103;

    private readonly DirectoryInfo _folder;
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly Func<GateReplica, string?> _welcome;
    private readonly Action<GateReplica, ReadOnlyMemory<int>> _hold;
    private readonly CancellationTokenSource _stop = new();
    private readonly List<Task> _replicas = [];
    private readonly Task _accepting;

    /// <param name="welcome">Told of each replica that comes; says why it is refused, or null.</param>
    /// <param name="hold">Told of the holds that a replica asks for.</param>
    public GateServer(Func<GateReplica, string?> welcome, Action<GateReplica, ReadOnlyMemory<int>> hold)
    {
        (_welcome, _hold) = (welcome, hold);
        _folder = CreateFolder(); // for this user alone, and short: a run's folder would be too long a path
        SocketPath = Path.Combine(_folder.FullName, "s");
        _listener.Bind(new UnixDomainSocketEndPoint(SocketPath));
        _listener.Listen();
        _accepting = AcceptAsync(_stop.Token);
    }

    public string SocketPath { get; }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _accepting;
        await Task.WhenAll(_replicas);
        _listener.Dispose();
        _stop.Dispose();
        _folder.Delete(recursive: true);
    }

    private static DirectoryInfo CreateFolder()
    {
        var folder = Directory.CreateTempSubdirectory("lab-");
        if (Path.Combine(folder.FullName, "s").Length <= LongestPath)
            return folder;
        folder.Delete();
        throw new LabException($"{Path.GetTempPath()} is too long for the path of a socket: set TMPDIR to a shorter folder.");
    }

    private async Task AcceptAsync(CancellationToken cancellationToken)
    {
        try
        {
            while (true)
                _replicas.Add(ServeAsync(await _listener.AcceptAsync(cancellationToken), cancellationToken));
        }
        catch (OperationCanceledException)
        {
        }
    }

    private async Task ServeAsync(Socket socket, CancellationToken cancellationToken)
    {
        using (socket)
        {
            try
            {
                if (await GreetAsync(socket, cancellationToken) is not { } replica)
                    return;
                var reader = new IdReader(socket);
                while (await reader.ReadAsync(cancellationToken) is { IsEmpty: false } ids)
                    _hold(replica, ids);
            }
            catch (Exception exception) when (exception is OperationCanceledException or SocketException or IOException or InvalidDataException)
            {
                // The replica has ended or speaks something else, or the lab ends. Whether it may end is for whoever started it to say.
            }
        }
    }

    private async Task<GateReplica?> GreetAsync(Socket socket, CancellationToken cancellationToken)
    {
        await using var stream = new NetworkStream(socket, ownsSocket: false);
        var (name, cost) = await GateProtocol.ReadHelloAsync(stream, cancellationToken);
        var replica = new GateReplica(socket, name, cost);
        var refusal = _welcome(replica);
        await stream.WriteAsync(GateProtocol.Text(refusal ?? ""), cancellationToken);
        socket.Blocking = false;
        return refusal is null ? replica : null;
    }
}
