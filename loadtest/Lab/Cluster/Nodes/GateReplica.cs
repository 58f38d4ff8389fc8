using System.Net.Sockets;
using DroneDelivery.LabAgent.Gate;
using DroneDelivery.Model.Simulation.Nodes;

namespace DroneDelivery.Lab.Cluster;

/// <summary>A connected replica, with its own thread so that it can't block others.</summary>
internal sealed class GateReplica(Socket socket, NodeClock clock, LatenessCounts lateness)
{
    // Waits are whole milliseconds. Rounding makes responses punctual on average.
    private static readonly TimeSpan Tolerance = TimeSpan.FromMilliseconds(0.5);

    private readonly PriorityQueue<int, TimeSpan> _due = new();

    /// <summary>The name, for example <c>workflow-0</c>; empty until the replica has sent it.</summary>
    public string Name { get; private set; } = "";

    public TimeSpan Cost { get; private set; }

    /// <summary>The node. A replica that a new placement omits keeps its node. Guarded by the lock of <see cref="VirtualNodes"/>.</summary>
    public Node? Node { get; set; }

    /// <summary>Responds to the holds of the replica until it disconnects.</summary>
    /// <param name="welcome">Returns the reason for a rejection, or <c>null</c>.</param>
    /// <param name="hold">Queues a hold and returns when it ends.</param>
    public void Serve(Func<GateReplica, string?> welcome, Func<GateReplica, TimeSpan> hold)
    {
        using var stream = new NetworkStream(socket, ownsSocket: true);
        using var reader = new BinaryReader(stream);
        using var writer = new BinaryWriter(stream);
        try
        {
            for (var isWelcome = Greet(reader, writer, welcome); isWelcome; Answer(writer))
            {
                if (socket.Poll(UntilDue(), SelectMode.SelectRead))
                    _due.Enqueue(reader.ReadInt32(), hold(this));
            }
        }
        catch (Exception exception)
            when (exception is IOException or SocketException or ObjectDisposedException or FormatException)
        {
            // The replica has disconnected, or violated the protocol.
        }
    }

    /// <summary>Ends <see cref="Serve"/>.</summary>
    public void Close() => socket.Close();

    private bool Greet(BinaryReader reader, BinaryWriter writer, Func<GateReplica, string?> welcome)
    {
        if (reader.ReadByte() != GateProtocol.Version)
            return false;
        (Cost, Name) = (TimeSpan.FromMicroseconds(reader.ReadInt32()), reader.ReadString());
        var refusal = Cost > TimeSpan.Zero ? welcome(this) : "a hold must take some time.";
        writer.Write(refusal ?? "");
        return refusal is null;
    }

    /// <summary>Returns the microseconds until the next response, as whole milliseconds; -1 for none.</summary>
    private int UntilDue() =>
        _due.TryPeek(out _, out var at)
            ? 1_000 * (int)Math.Clamp(Math.Round((at - clock.Now).TotalMilliseconds), 0, int.MaxValue / 1_000)
            : -1;

    private void Answer(BinaryWriter writer)
    {
        while (_due.TryPeek(out var id, out var at) && clock.Now is var now && at <= now + Tolerance)
        {
            _due.Dequeue();
            lateness.Add(now - at);
            writer.Write(id);
        }
    }
}
