using System.Buffers.Binary;
using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A link on which a client receives replies of <c>$cbs</c> or <c>$management</c>. Replies wait for
/// credit.</summary>
internal sealed class ReplyLink(
    string node,
    AmqpSession session,
    Attach attach,
    ReplyLinks all,
    Action<AmqpLink> onDetached
) : ILinkHandler
{
    private readonly Lock _gate = new();
    private readonly Queue<(byte[] Reply, Action OnDone)> _waiting = [];
    private SenderLink? _link;
    private int _sent;

    public string Node => node;
    public AmqpSession Session => session;

    public bool IsCalled(string name) => attach.Target?.Address == name || attach.Name == name;

    public SenderLink Accept()
    {
        _link = session.Accept<SenderLink>(
            attach,
            new Attach
            {
                Source = new Source { Address = attach.Source!.Address },
                Target = attach.Target ?? new Target(),
            },
            this
        );
        SendWaiting();
        return _link;
    }

    /// <param name="onDone">Called once when the reply was sent, or dropped because the link is closed.</param>
    public void Send(AmqpMessage reply, Action onDone)
    {
        var encoded = reply.ToArray();
        lock (_gate)
            _waiting.Enqueue((encoded, onDone));
        var isWithinLimit = all.CountWaiting(encoded.Length);
        if (SendWaiting() || isWithinLimit || _link is not { } slow)
            return;
        all.OnOverfull(slow);
        SendWaiting(); // Drops the waiting replies of the detached link.
    }

    public void OnFlow(AmqpLink link)
    {
        SendWaiting();
        ((SenderLink)link).CompleteDrain();
    }

    public void OnDetached(AmqpLink link, AmqpError? error)
    {
        all.Remove(this);
        onDetached(link);
        SendWaiting();
    }

    public bool SendWaiting()
    {
        // Held while sending, to keep replies in order. The connection's lock is taken inside and makes no callbacks.
        lock (_gate)
        {
            while (
                _waiting.TryPeek(out var next) && _link is not null && (TrySend(_link, next.Reply) || _link.IsClosed)
            )
            {
                _waiting.Dequeue();
                all.CountWaiting(-next.Reply.Length);
                next.OnDone();
            }
            return _waiting.Count == 0;
        }
    }

    private bool TrySend(SenderLink link, byte[] reply)
    {
        Span<byte> tag = stackalloc byte[4];
        BinaryPrimitives.WriteInt32BigEndian(tag, _sent);
        if (!link.TrySend(tag, reply, [], messageFormat: 0, settled: true, context: null, out _))
            return false;
        _sent++;
        return true;
    }
}
