using System.Buffers.Binary;
using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A link on which a client gets replies from <c>$cbs</c> or <c>$management</c>; they wait here for credit.</summary>
internal sealed class ReplyLink(string node, AmqpSession session, Attach attach, Action<ReplyLink, AmqpLink> onDetached) : ISenderHandler
{
    readonly Lock gate = new();
    readonly Queue<byte[]> waiting = [];
    SenderLink? link;
    int sent;

    public string Node => node;
    public AmqpSession Session => session;

    public bool IsCalled(string name) => attach.Target?.Address == name || attach.Name == name;

    public SenderLink Accept(Attach attach)
    {
        link = session.AcceptSender(attach, new Attach
        {
            SndSettleMode = attach.SndSettleMode,
            RcvSettleMode = attach.RcvSettleMode,
            Source = new Source { Address = attach.Source!.Address },
            Target = attach.Target ?? new Target(),
            InitialDeliveryCount = 0,
        }, this);
        SendWaiting();
        return link;
    }

    public void Send(AmqpMessage reply)
    {
        lock (gate) waiting.Enqueue(reply.ToArray());
        SendWaiting();
    }

    public void OnFlow(SenderLink link)
    {
        SendWaiting();
        if (link.IsDraining) link.CompleteDrain();
    }

    public void OnDisposition(SenderLink link, uint deliveryId, object? context, DeliveryState? state, bool settled)
    {
        // Replies go out settled.
    }

    public void OnDetached(SenderLink link, AmqpError? error) => onDetached(this, link);

    void SendWaiting()
    {
        // Held while sending, which keeps replies in order; the link's own lock is taken inside and calls nobody.
        lock (gate)
        {
            Span<byte> tag = stackalloc byte[4];
            BinaryPrimitives.WriteInt32BigEndian(tag, sent);
            while (waiting.TryPeek(out var reply) && link is not null && link.TrySend(tag, reply, [], messageFormat: 0, settled: true, context: null, out _))
            {
                waiting.Dequeue();
                BinaryPrimitives.WriteInt32BigEndian(tag, ++sent);
            }
        }
    }
}
