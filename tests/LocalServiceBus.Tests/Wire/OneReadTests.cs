using DroneDelivery.Amqp.Tests.Support;
using DroneDelivery.LocalServiceBus.Tests.Support.Mutations;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>Frames that arrive together are handled together, with the same result as one by one.</summary>
public sealed class OneReadTests : FrontEndTest, IAsyncLifetime
{
    private const uint Sender = 0,
        Receiver = 1;

    private readonly Queue _queue;
    private RawPeer _peer = null!;

    public OneReadTests()
        : base(TimeProvider.System) => _queue = _entities.Create(new QueueOptions("orders"));

    public async ValueTask InitializeAsync()
    {
        _peer = Dial();
        await _peer.OpenAsync();
        await _peer.BeginAsync(0);
        await _peer.WriteAsync(Frames.SenderTo(Sender, "orders").ToBytes());
        await _peer.FindAsync(Amqp.Flow.Code);
        await _peer.WriteAsync(Frames.ReceiverFrom(Receiver, "orders").ToBytes());
        await _peer.FindAsync(Attach.Code);
    }

    [Fact]
    public async Task Messages_are_accepted_with_one_disposition()
    {
        await _peer.WriteAsync(Join([.. Enumerable.Range(0, 300).Select(id => Message((uint)id))]));

        // The first 256 are settled together. The others share the disposition, unless the connection is about to send.
        var first = await _peer.NextAsync(Disposition.Code);
        var last = first.Fields[2] is 255u ? 255u : 299u;
        AssertDisposition(0, last, first);
        if (last == 255)
            AssertDisposition(256, 299, await _peer.NextAsync(Disposition.Code));
        Assert.Equal(300, _queue.Counts().Active);
    }

    [Fact]
    public async Task Rejected_message_gets_its_own_disposition()
    {
        await _peer.WriteAsync(Join(Message(0), Message(1), Transfer(2, [0x40]), Message(3), Message(4)));

        var answers = new List<RawFrame>();
        for (var i = 0; i < 3; i++)
            answers.Add(await _peer.NextAsync(Disposition.Code));
        AssertDisposition(0, 1, Assert.Single(answers, answer => answer.Fields[1] is 0u));
        AssertDisposition(3, 4, Assert.Single(answers, answer => answer.Fields[1] is 3u));
        Assert.Equal(4, _queue.Counts().Active);
    }

    [Fact]
    public async Task Transfers_before_a_detach_are_settled_before_it()
    {
        await _peer.WriteAsync(Join(Message(0), Message(1), RawPeer.Encode(0, Detach.Code, [Sender, true])));

        AssertDisposition(0, 1, await _peer.NextAsync(Disposition.Code));
        await _peer.NextAsync(Detach.Code);
    }

    [Fact]
    public async Task Drain_includes_the_message_before_it()
    {
        await _peer.WriteAsync(Join(Message(0), Flow(credit: 5, drain: true)));

        await _peer.FindAsync(Amqp.Transfer.Code);
        var drained = await _peer.FindAsync(Amqp.Flow.Code);
        Assert.Equal((Receiver, 5u, 0u), (drained.Fields[4], drained.Fields[5], drained.Fields[6]));
    }

    [Fact]
    public async Task Settlement_and_message_keep_their_order()
    {
        await _peer.WriteAsync(Join(Message(0), Flow(credit: 1, drain: false)));
        await _peer.FindAsync(Amqp.Transfer.Code);

        // The release returns the first message to the front, so the second one must wait.
        var release = RawPeer.Encode(0, Disposition.Code, [true, 0u, 0u, false, RawPeer.Composite(Released.Code)]);
        await _peer.WriteAsync(Join(release, Message(1), Flow(credit: 1, drain: false, deliveryCount: 1)));
        var again = await _peer.FindAsync(Amqp.Transfer.Code);

        Assert.Contains("message 0", Encoding.UTF8.GetString(again.Payload), StringComparison.Ordinal);
        Assert.Equal((1, 1), (_queue.Counts().Locked, _queue.Counts().Active));
    }

    private static byte[] Message(uint id) => Transfer(id, Encode($"message {id}"));

    private static byte[] Transfer(uint id, byte[] payload) =>
        RawPeer.Encode(0, Amqp.Transfer.Code, [Sender, id, BitConverter.GetBytes(id), 0u, false, false], payload);

    private static byte[] Flow(uint credit, bool drain, uint deliveryCount = 0) =>
        RawPeer.Encode(0, Amqp.Flow.Code, [0u, uint.MaxValue, 0u, 100u, Receiver, deliveryCount, credit, null, drain]);

    private static byte[] Join(params byte[][] frames) => [.. frames.SelectMany(frame => frame)];

    private static void AssertDisposition(uint first, uint last, RawFrame frame) =>
        Assert.Equal(
            (true, first, last, true),
            (frame.Fields[0], frame.Fields[1], frame.Fields[2] ?? frame.Fields[1], frame.Fields[3])
        );
}
