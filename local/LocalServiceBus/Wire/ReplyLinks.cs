using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <param name="maxWaitingBytes">The maximum total size of replies that wait for credit, in bytes.</param>
/// <param name="onOverfull">Called with a link that would exceed this limit.</param>
internal sealed class ReplyLinks(long maxWaitingBytes, Action<SenderLink> onOverfull)
{
    private readonly Lock _gate = new();
    private readonly List<ReplyLink> _links = [];
    private long _waitingBytes;

    public Action<SenderLink> OnOverfull => onOverfull;

    public SenderLink Accept(string node, AmqpSession session, Attach attach, Action<AmqpLink> onDetached)
    {
        var reply = new ReplyLink(node, session, attach, this, onDetached);
        lock (_gate)
            _links.Add(reply);
        return reply.Accept();
    }

    public void Remove(ReplyLink gone)
    {
        lock (_gate)
            _links.Remove(gone);
    }

    public void OnWriteDrained()
    {
        ReplyLink[] all;
        lock (_gate)
            all = [.. _links];
        foreach (var link in all)
            link.SendWaiting();
    }

    /// <param name="onDone">Called once when the reply was sent or dropped.</param>
    public void Send(string node, string? replyTo, AmqpSession session, AmqpMessage reply, Action onDone)
    {
        if (Find(node, replyTo, session) is { } link)
            link.Send(reply, onDone);
        else
            onDone();
    }

    /// <summary>Finds the link by the request's reply-to: the target address of the link, or its name if it has no
    /// address. Without reply-to, uses the session's link or the latest one.</summary>
    private ReplyLink? Find(string node, string? replyTo, AmqpSession session)
    {
        lock (_gate)
        {
            return _links.FindLast(link =>
                link.Node == node && !string.IsNullOrEmpty(replyTo) && link.IsCalled(replyTo)
            )
                ?? _links.FindLast(link => link.Node == node && link.Session == session)
                ?? _links.FindLast(link => link.Node == node);
        }
    }

    public bool CountWaiting(int bytes) => Interlocked.Add(ref _waitingBytes, bytes) <= maxWaitingBytes;
}
