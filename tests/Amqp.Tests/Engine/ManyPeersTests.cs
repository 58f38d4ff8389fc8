using System.Buffers.Binary;
using System.Collections.Concurrent;

namespace DroneDelivery.Amqp.Tests.Engine;

/// <summary>Many links of one connection used from many threads at once.</summary>
public sealed class ManyPeersTests
{
    private const int Links = 8;
    private const int MessagesEach = 500;
    private const uint Window = 10;

    [Fact]
    public async Task Many_senders_and_receivers_on_one_connection_lose_nothing_and_never_exceed_their_credit()
    {
        var queue = new Relay();
        await using var pair = await Pair.OpenAsync(listener: new TestServer { OnAttached = queue.OnAttached });
        var receivers = new List<Consumer>();
        for (var i = 0; i < Links; i++)
        {
            var session = await pair.Client.BeginSessionAsync(null, Limit.Token);
            var consumer = new Consumer();
            receivers.Add(consumer);
            var link = await session.AttachReceiverAsync(new Attach { Name = $"r{i}", Source = new Source() }, consumer, Limit.Token);
            link.SetCredit(Window);
        }

        await Task.WhenAll(Enumerable.Range(0, Links).Select(i => SendAsync(pair.Client, i)));
        var seen = new ConcurrentDictionary<int, int>();
        await Task.WhenAll(Enumerable.Range(0, Links).Select(_ => SettleAllAsync(receivers, seen)));

        Assert.Equal(Links * MessagesEach, seen.Count);
        Assert.All(seen.Values, times => Assert.Equal(1, times));
        Assert.Equal(Links * MessagesEach, queue.Settled);
        Assert.All(receivers, r => Assert.InRange(r.MostOutstanding, 1, (int)Window));
    }

    private static async Task SendAsync(AmqpConnection connection, int sender)
    {
        await Task.Yield();
        var session = await connection.BeginSessionAsync(null, Limit.Token);
        var link = await session.AttachSenderAsync(
            new Attach { Name = $"s{sender}", Target = new Target() }, new TestSender(), Limit.Token);
        var sends = new List<Task<DeliveryState>>();
        for (var i = 0; i < MessagesEach; i++)
        {
            var payload = new byte[100];
            BinaryPrimitives.WriteInt32BigEndian(payload, sender * MessagesEach + i);
            sends.Add(link.SendAsync(payload, 0, settled: false, Limit.Token));
        }
        Assert.All(await Task.WhenAll(sends), outcome => Assert.Same(Accepted.Instance, outcome));
    }

    private static async Task SettleAllAsync(List<Consumer> receivers, ConcurrentDictionary<int, int> seen)
    {
        await Task.Yield();
        while (seen.Count < Links * MessagesEach)
        {
            var idle = true;
            foreach (var receiver in receivers)
            {
                if (!receiver.Arrived.TryDequeue(out var message))
                    continue;
                idle = false;
                seen.AddOrUpdate(message.Number, 1, (_, times) => times + 1);
                Assert.Same(Accepted.Instance, await receiver.SettleAsync(message.Link, message.Id));
            }
            if (idle)
                await Task.Delay(1, Limit.Token);
        }
    }

    /// <summary>Replenishes credit for what has been settled, one by one.</summary>
    private sealed class Consumer : ILinkHandler
    {
        private readonly Lock _gate = new();
        private int _outstanding;

        public ConcurrentQueue<(ReceiverLink Link, uint Id, int Number)> Arrived { get; } = [];
        public int MostOutstanding { get; private set; }

        public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
        {
            lock (_gate)
                MostOutstanding = Math.Max(MostOutstanding, ++_outstanding);
            Arrived.Enqueue((link, delivery.DeliveryId, BinaryPrimitives.ReadInt32BigEndian(delivery.Payload.Span)));
        }

        public async Task<DeliveryState?> SettleAsync(ReceiverLink link, uint id)
        {
            var outcome = await link.SettleAsync(id, Accepted.Instance, Limit.Token);
            lock (_gate)
                _outstanding--;
            link.AddCredit(1);
            return outcome;
        }

        public void OnDetached(AmqpLink link, AmqpError? error) { }
    }

    /// <summary>A queue: what comes in on any link goes out on whichever has credit.</summary>
    private sealed class Relay : ILinkHandler
    {
        private readonly ConcurrentQueue<ReadOnlyMemory<byte>> _messages = [];
        private readonly List<SenderLink> _out = [];

        public int Settled { get; private set; }

        public void OnAttached(TestServer server, AmqpSession session, Attach attach)
        {
            var reply = new Attach { Source = attach.Source ?? new Source(), Target = attach.Target ?? new Target() };
            if (attach.Role == LinkRole.Receiver)
                _out.Add(session.Accept<SenderLink>(attach, reply, this));
            else
                session.Accept<ReceiverLink>(attach, reply, this).SetCredit(100);
        }

        public void OnDelivery(ReceiverLink link, in IncomingDelivery delivery)
        {
            _messages.Enqueue(delivery.Payload);
            link.Settle(delivery.DeliveryId, Accepted.Instance);
            if (link.Credit < 50)
                link.SetCredit(100);
            Pump();
        }

        public void OnFlow(AmqpLink link) => Pump();

        public void OnDisposition(AmqpLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
        {
            Settled++;
            ((SenderLink)link).Settle(deliveryId, state);
        }

        public void OnDetached(AmqpLink link, AmqpError? error) { }

        private void Pump()
        {
            foreach (var link in _out)
            {
                while (link.Credit > 0 && _messages.TryDequeue(out var message))
                    Assert.True(link.TrySend([1], message.Span, default, 0, settled: false, null, out _));
            }
        }
    }
}
