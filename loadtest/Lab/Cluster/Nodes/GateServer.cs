using System.Net.Sockets;
using DroneDelivery.LabAgent.Gate;

namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// The lab's end of <see cref="GateProtocol"/>: one Unix domain socket for all nodes, and one thread that reads holds and sends each answer
/// when it is due. (The runtime's timers follow a clock of 4 ms on Linux.)
/// </summary>
internal sealed class GateServer : IDisposable
{
    /// <summary>Bytes that a socket's path may have (104 on macOS, 108 on Linux, the end included).</summary>
    private const int LongestPath = 103;

    /// <summary>Milliseconds after which the thread looks whether it is to stop.</summary>
    private const int LongestWait = 50;

    private readonly DirectoryInfo _folder;
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified) { Blocking = false };
    private readonly NodeClock _clock;
    private readonly Func<GateReplica, string?> _welcome;
    private readonly Func<GateReplica, TimeSpan> _hold;
    private readonly List<GateReplica> _replicas = [];
    private readonly DueAnswers _due = new();
    private readonly HashSet<GateReplica> _toSend = [];
    private readonly Thread _thread;
    private Polled[] _polled = [];
    private volatile bool _stopping;

    /// <param name="welcome">Told of each replica that comes; says why it is refused, or null.</param>
    /// <param name="hold">Takes a hold of a replica into the queue of its node; says when it is over.</param>
    public GateServer(NodeClock clock, Func<GateReplica, string?> welcome, Func<GateReplica, TimeSpan> hold)
    {
        (_clock, _welcome, _hold) = (clock, welcome, hold);
        _folder = CreateFolder(); // for this user alone, and short: a run's folder would be too long a path
        SocketPath = Path.Combine(_folder.FullName, "s");
        _listener.Bind(new UnixDomainSocketEndPoint(SocketPath));
        _listener.Listen();
        _thread = new Thread(Run) { Name = "CPU gates", IsBackground = true };
        _thread.Start();
    }

    public string SocketPath { get; }

    /// <summary>Of all answers so far.</summary>
    public Lateness ReadLateness() => _due.ReadLateness();

    /// <summary>Closes all connections. Holds that wait are not answered.</summary>
    public void Dispose()
    {
        _stopping = true;
        _thread.Join();
        _listener.Dispose();
        foreach (var replica in _replicas)
            replica.Dispose();
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

    private void Run()
    {
        while (!_stopping)
        {
            Watch();
            Polling.Wait(_polled, _due.Wait(_clock.Now, LongestWait));
            Receive();
            Answer();
        }
    }

    /// <summary>The listener, then the replicas in their order.</summary>
    private void Watch()
    {
        if (_polled.Length != _replicas.Count + 1)
            _polled = new Polled[_replicas.Count + 1];
        _polled[0] = new((int)_listener.Handle, Polling.In);
        for (var i = 0; i < _replicas.Count; i++)
            _polled[i + 1] = new(_replicas[i].Handle, _replicas[i].IsBehind ? (short)(Polling.In | Polling.Out) : Polling.In);
    }

    private void Receive()
    {
        for (var i = _replicas.Count - 1; i >= 0; i--)
        {
            if (_polled[i + 1].Happened == 0)
                continue;
            if (_replicas[i].IsBehind)
                _replicas[i].Send();
            if (_replicas[i].Receive(_welcome, Hold))
                continue;
            _replicas[i].Dispose();
            _replicas.RemoveAt(i);
        }

        if (_polled[0].Happened != 0)
            _replicas.Add(new GateReplica(_listener.Accept()));
    }

    private void Hold(GateReplica replica, int id) => _due.Add(replica, id, _hold(replica));

    /// <summary>What is over for a replica at one moment goes in one packet.</summary>
    private void Answer()
    {
        while (_due.TryTake(_clock.Now, out var hold))
        {
            hold.Replica.Add(hold.Id);
            _toSend.Add(hold.Replica);
        }

        foreach (var replica in _toSend)
            replica.Send();
        _toSend.Clear();
    }
}
