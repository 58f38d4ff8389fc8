using System.Net.Sockets;
using DroneDelivery.LabAgent.Gate;
using DroneDelivery.Model.Simulation.Nodes;

namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// One connected replica, as the lab sees it. All of it belongs to the thread of <see cref="GateServer"/>, except for its node.
/// </summary>
internal sealed class GateReplica : IDisposable
{
    private readonly Socket _socket;
    private readonly ReceivedBytes _received;
    private readonly IdBuffer _answers = new();
    private bool _isClosed;

    public GateReplica(Socket socket)
    {
        socket.Blocking = false;
        (_socket, _received) = (socket, new ReceivedBytes(socket));
    }

    /// <summary>As it introduced itself: <c>workflow-0</c>. Empty before.</summary>
    public string Name { get; private set; } = "";

    /// <summary>CPU time of each of its holds.</summary>
    public TimeSpan Cost { get; private set; }

    /// <summary>
    /// Where it runs. A replica that a new placement leaves out stays until it ends. Guarded by the lock of <see cref="VirtualNodes"/>.
    /// </summary>
    public Node? Node { get; set; }

    public int Handle => (int)_socket.Handle;

    /// <summary>Whether there are answers that its socket does not take for now.</summary>
    public bool IsBehind => !_answers.IsEmpty;

    /// <summary>Takes what has come.</summary>
    /// <param name="welcome">Why the replica that has introduced itself is refused, or null.</param>
    /// <returns>False: it has ended, or speaks something else.</returns>
    public bool Receive(Func<GateReplica, string?> welcome, Action<GateReplica, int> hold)
    {
        try
        {
            if (!_received.Receive() || (Name.Length == 0 && !Greet(welcome)))
                return false;
            while (Name.Length > 0 && GateProtocol.TryTakeId(_received, out var id))
                hold(this, id);
            return true;
        }
        catch (Exception exception) when (exception is SocketException or InvalidDataException)
        {
            // Whether it may end is for whoever started it to say.
            return false;
        }
    }

    public void Add(int id) => _answers.Add(id);

    /// <summary>Sends what its socket takes now; never waits, because a replica that is stuck must not stop the others.</summary>
    public void Send()
    {
        if (_isClosed)
        {
            _answers.Drop(_answers.Bytes.Length);
            return;
        }

        var sent = _socket.Send(_answers.Bytes, SocketFlags.None, out var error);
        // Where the replica is gone, nobody waits for the rest, and reading from it will tell.
        _answers.Drop(error is SocketError.Success or SocketError.WouldBlock ? Math.Max(0, sent) : _answers.Bytes.Length);
    }

    public void Dispose()
    {
        _isClosed = true;
        _socket.Dispose();
    }

    private bool Greet(Func<GateReplica, string?> welcome)
    {
        if (GateProtocol.TakeHello(_received) is not { } hello)
            return true;
        (Name, Cost) = hello;
        var refusal = welcome(this);
        _socket.Send(GateProtocol.Text(refusal ?? ""), SocketFlags.None, out _);
        return refusal is null;
    }
}
