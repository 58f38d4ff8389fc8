using DroneDelivery.Lab.Cluster;
using DroneDelivery.Testing;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>The lab's end of one replica's CPU gate, by a clock that stands still: holds end when the test says so.</summary>
internal sealed class FakeLab : IAsyncDisposable
{
    private static readonly TimeSpan Each = TimeSpan.FromMilliseconds(1);

    private readonly ManualTimeProvider _clock = new();
    private readonly GateServer _server;
    private int _asked;
    private bool _hasEnded;

    public FakeLab() => _server = new(new NodeClock(_clock), Welcome, _ => Interlocked.Increment(ref _asked) * Each);

    public string SocketPath => _server.SocketPath;

    /// <summary>Cost and name, as the replica introduced itself.</summary>
    public (TimeSpan Cost, string Name) Greeting { get; private set; }

    /// <summary>Holds asked for so far.</summary>
    public int Asked => Volatile.Read(ref _asked);

    /// <summary>Ends the hold that has waited longest; the test must know that there is one.</summary>
    public void EndOne() => _clock.Advance(Each);

    /// <summary>Configuration of the replica.</summary>
    public Dictionary<string, string?> Settings(string replica, double milliseconds) => new()
    {
        ["Emulation:CpuGate:Socket"] = SocketPath,
        ["Emulation:CpuGate:Replica"] = replica,
        ["Emulation:CpuGate:CostMilliseconds"] = FormattableString.Invariant($"{milliseconds}"),
    };

    /// <summary>As when the lab's process is killed.</summary>
    public async Task EndAsync()
    {
        if (!_hasEnded)
            await _server.DisposeAsync();
        _hasEnded = true;
    }

    public async ValueTask DisposeAsync() => await EndAsync();

    private string? Welcome(GateReplica replica)
    {
        Greeting = (replica.Cost, replica.Name);
        return null;
    }
}
