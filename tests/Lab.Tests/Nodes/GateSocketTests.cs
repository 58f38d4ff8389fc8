using System.Net.Sockets;
using DroneDelivery.LabAgent.Gate;

namespace DroneDelivery.Lab.Tests.Nodes;

/// <summary>
/// Replicas and the lab on a real socket and clock. Times are checked only against bounds that a busy machine can't
/// break.
/// </summary>
public sealed class GateSocketTests : IAsyncDisposable
{
    private static readonly DeclaredNodes Declared = new(
        1,
        2,
        new(0, 100),
        new Dictionary<string, double> { ["workflow"] = 60, ["package"] = 6 }
    );
    private readonly VirtualNodes _nodes = new(TimeProvider.System);

    [Fact]
    public async Task CPU_holds_of_one_node_share_its_two_servers()
    {
        Place(nodes: 1);
        await using var workflow = Connect("workflow-0", 20);
        await using var package = Connect("package-0", 20);
        var clock = Stopwatch.StartNew();

        await Task.WhenAll(Enumerable.Range(0, 10).Select(i => (i % 2 == 0 ? workflow : package).HoldAsync()));

        // Ten holds on two servers, sent at most half a millisecond before their end.
        Assert.InRange(clock.ElapsedMilliseconds, 10 * 20 / 2 - 1, long.MaxValue);
        Assert.Equal(TimeSpan.FromMilliseconds(200), _nodes.Read().Spent[0]);
    }

    [Fact]
    public async Task Replicas_on_different_nodes_do_not_wait_for_each_other()
    {
        Place(nodes: 2);
        await using var workflow = Connect("workflow-0", 600_000);
        await using var package = Connect("package-0", 1);
        var onTheBusyNode = Enumerable.Range(0, 10).Select(_ => workflow.HoldAsync()).ToList();

        await package.HoldAsync();

        Assert.All(onTheBusyNode, hold => Assert.False(hold.IsCompleted));
    }

    [Fact]
    public async Task New_placement_moves_running_replicas_and_starts_at_zero()
    {
        Place(nodes: 1);
        await using var package = Connect("package-0", 1);
        await package.HoldAsync();

        Place(nodes: 2);
        await package.HoldAsync();

        Assert.Equal([TimeSpan.Zero, TimeSpan.FromMilliseconds(1)], _nodes.Read().Spent);
    }

    [Fact]
    public void Replica_without_a_node_is_rejected_by_name()
    {
        Place(nodes: 1);

        var refusal = Assert.Throws<GateLostException>(() => Connect("delivery-7", 20));

        Assert.Contains("refuses delivery-7: it isn't placed on a node", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task CPU_holds_fail_when_the_lab_exits()
    {
        var nodes = new VirtualNodes(TimeProvider.System);
        nodes.Place(Declared, Placement.Of(PlacementRule.RoundRobin, 1, Replicas));
        await using var workflow = GateConnection.Connect(nodes.SocketPath, "workflow-0", TimeSpan.FromMinutes(1));
        var waiting = workflow.HoldAsync();

        await nodes.DisposeAsync();

        await Assert.ThrowsAsync<GateLostException>(() => waiting);
        await Assert.ThrowsAsync<GateLostException>(() => workflow.HoldAsync());
        Assert.Contains("is gone", (await workflow.Ended)!.Message, StringComparison.Ordinal);
        Assert.False(File.Exists(nodes.SocketPath));
    }

    [Fact]
    public async Task Replica_that_disconnects_does_not_affect_others()
    {
        Place(nodes: 1);
        await using var package = Connect("package-0", 1);
        var vanishing = Connect("workflow-0", 5);
        var lost = Enumerable.Range(0, 20).Select(_ => vanishing.HoldAsync()).ToList();
        await vanishing.DisposeAsync();

        await package.HoldAsync();
        await using var restarted = Connect("workflow-0", 1);
        await restarted.HoldAsync();

        await Assert.ThrowsAsync<GateLostException>(() => Task.WhenAll(lost));
        await restarted.DisposeAsync();
        Assert.Null(await restarted.Ended); // Closing is not a loss.
    }

    [Fact]
    public async Task Replica_that_does_not_read_does_not_block_others()
    {
        Place(nodes: 1);
        using var deaf = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
        {
            ReceiveBufferSize = 1_024,
        };
        await deaf.ConnectAsync(new UnixDomainSocketEndPoint(_nodes.SocketPath), Cancel);
        await using var stream = new NetworkStream(deaf);
        await using var writer = new BinaryWriter(stream);
        writer.Write(GateProtocol.Version);
        writer.Write(1); // One microsecond.
        writer.Write("workflow-0");
        var asking = stream.WriteAsync(new byte[10 * 40_000], Cancel).AsTask();

        // The lab stops reading when its own buffer is full.
        await using var package = Connect("package-0", 0.01);
        for (var held = 0; held < 100; held++)
            await package.HoldAsync();
        Assert.False(asking.IsCompleted);

        // Unread responses are kept: 10 × 10,000 of four bytes, after one byte of greeting.
        var received = 0L;
        while (received < 10 * 40_000 + 1)
            received += await ReceiveAsync(deaf);
        await asking;
        Assert.Equal(10 * 40_000 + 1, received);
    }

    public ValueTask DisposeAsync() => _nodes.DisposeAsync();

    private static int Replicas(Service service) => service == Service.Workflow || service == Service.Package ? 1 : 0;

    private void Place(int nodes) => _nodes.Place(Declared, Placement.Of(PlacementRule.RoundRobin, nodes, Replicas));

    private GateConnection Connect(string replica, double milliseconds) =>
        GateConnection.Connect(_nodes.SocketPath, replica, TimeSpan.FromMilliseconds(milliseconds));

    private static async Task<int> ReceiveAsync(Socket socket) => await socket.ReceiveAsync(new byte[100_000], Cancel);
}
