using System.Collections.Concurrent;
using System.Net.Sockets;
using DroneDelivery.LabAgent.Gate;

namespace DroneDelivery.Lab.Cluster;

/// <summary>The server of <see cref="GateProtocol"/>: one Unix domain socket for all nodes.</summary>
internal sealed class GateServer : IAsyncDisposable
{
    /// <summary>The maximum length of a socket path (104 on macOS, 108 on Linux, including the terminator).</summary>
    private const int LongestPath = 103;

    private readonly DirectoryInfo _folder = CreateFolder(); // private to this user, and shorter than the path of a run's folder
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentDictionary<GateReplica, Thread> _replicas = [];
    private readonly Task _accepting;

    /// <param name="welcome">Returns the reason for a rejection, or <c>null</c>.</param>
    /// <param name="hold">Queues a hold and returns when it ends.</param>
    public GateServer(NodeClock clock, Func<GateReplica, string?> welcome, Func<GateReplica, TimeSpan> hold)
    {
        SocketPath = Path.Combine(_folder.FullName, "s");
        _listener.Bind(new UnixDomainSocketEndPoint(SocketPath));
        _listener.Listen();
        _accepting = AcceptAsync(clock, welcome, hold);
    }

    public string SocketPath { get; }

    public LatenessCounts Lateness { get; } = new();

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _accepting;
        _listener.Dispose();
        _stop.Dispose();
        foreach (var (replica, thread) in _replicas)
        {
            replica.Close();
            thread.Join();
        }
        _folder.Delete(recursive: true);
    }

    private async Task AcceptAsync(
        NodeClock clock,
        Func<GateReplica, string?> welcome,
        Func<GateReplica, TimeSpan> hold
    )
    {
        while (true)
        {
            Socket socket;
            try
            {
                socket = await _listener.AcceptAsync(_stop.Token);
            }
            catch (OperationCanceledException)
            {
                return;
            }
            var replica = new GateReplica(socket, clock, Lateness);
            var thread = new Thread(Serve) { Name = "CPU gate", IsBackground = true };
            _replicas[replica] = thread;
            thread.Start();

            void Serve()
            {
                replica.Serve(welcome, hold);
                _replicas.TryRemove(replica, out _);
            }
        }
    }

    private static DirectoryInfo CreateFolder()
    {
        var folder = Directory.CreateTempSubdirectory("lab-");
        if (Path.Combine(folder.FullName, "s").Length <= LongestPath)
            return folder;
        folder.Delete();
        throw new LabException(
            $"{Path.GetTempPath()} is too long for the path of a socket: set TMPDIR to a shorter folder."
        );
    }
}
