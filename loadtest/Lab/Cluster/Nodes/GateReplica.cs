using System.Net.Sockets;
using DroneDelivery.LabAgent.Gate;
using DroneDelivery.Model.Simulation.Nodes;

namespace DroneDelivery.Lab.Cluster;

/// <summary>One connected replica, as the lab sees it. It has a thread of its own: one that is stuck does not stop the others.</summary>
internal sealed class GateReplica(Socket socket, NodeClock clock, LatenessCounts lateness)
{
    // A wait takes whole milliseconds: what is due within half of one goes now, so that answers are right on average.
    private static readonly TimeSpan Tolerance = TimeSpan.FromMilliseconds(0.5);

    /// <summary>Ids of the holds that are not answered yet, by the time when they are over.</summary>
    private readonly PriorityQueue<int, TimeSpan> _due = new();

    /// <summary>As it introduced itself: <c>workflow-0</c>. Empty before.</summary>
    public string Name { get; private set; } = "";

    public TimeSpan Cost { get; private set; }

    /// <summary>
    /// Where it runs. A replica that a new placement leaves out stays until it ends. Guarded by the lock of <see cref="VirtualNodes"/>.
    /// </summary>
    public Node? Node { get; set; }

    /// <summary>Answers its holds until it ends. Whether it may end is for whoever started it to say.</summary>
    /// <param name="welcome">Why the replica that has introduced itself is refused, or null.</param>
    /// <param name="hold">Takes a hold into the queue of its node; says when it is over.</param>
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
            // It has ended, or speaks something else.
        }
    }

    /// <summary>Ends <see cref="Serve"/>. Holds that wait are not answered.</summary>
    public void Close() => socket.Close();

    private bool Greet(BinaryReader reader, BinaryWriter writer, Func<GateReplica, string?> welcome)
    {
        if (reader.ReadByte() != GateProtocol.Version)
            return false;
        (Cost, Name) = (TimeSpan.FromMicroseconds(reader.ReadInt32()), reader.ReadString());
        var refusal = Cost > TimeSpan.Zero ? welcome(this) : "a hold has to take some time.";
        writer.Write(refusal ?? "");
        return refusal is null;
    }

    /// <summary>Microseconds, of whole milliseconds; -1: nothing waits.</summary>
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
