using System.Net.Sockets;
using DroneDelivery.ServiceDefaults.Emulation.Gate;

namespace DroneDelivery.Lab.Nodes;

/// <summary>One connected replica, as the lab sees it. Its answers belong to the thread of <see cref="HoldTimer"/>.</summary>
internal sealed class GateReplica(Socket socket, string name, TimeSpan cost)
{
    private readonly IdBuffer _answers = new();

    /// <summary>As it introduced itself: <c>workflow-0</c>.</summary>
    public string Name => name;

    /// <summary>CPU time of each of its holds.</summary>
    public TimeSpan Cost => cost;

    /// <summary>Where it runs. A replica that a new placement leaves out stays until it ends. Guarded by the timer's lock.</summary>
    public VirtualNode? Node { get; set; }

    public bool HasSentAll => _answers.IsEmpty;

    public void Add(int id) => _answers.Add(id);

    /// <summary>Sends what the replica takes now; never waits, because one that is stuck must not stop the others.</summary>
    public void Send()
    {
        try
        {
            var sent = socket.Send(_answers.Bytes, SocketFlags.None, out var error);
            if (error == SocketError.Success)
                _answers.Drop(sent);
            else if (error != SocketError.WouldBlock)
                DropAll();
        }
        catch (ObjectDisposedException)
        {
            DropAll();
        }
    }

    // It is gone, and whoever reads from it learns that too.
    private void DropAll() => _answers.Drop(_answers.Bytes.Length);
}
