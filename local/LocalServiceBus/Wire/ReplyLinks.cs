using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The links of one connection on which clients get replies, and which reply goes where.</summary>
/// <param name="maxWaitingBytes">Replies of that size may wait for credit, all links together.</param>
/// <param name="onOverfull">Told the link for which more would have to wait.</param>
internal sealed class ReplyLinks(long maxWaitingBytes, Action<SenderLink> onOverfull)
{
    private readonly Lock _gate = new();
    private readonly List<ReplyLink> _links = [];
    private long _waitingBytes;

    public Action<SenderLink> OnOverfull => onOverfull;

    /// <summary>Accepts a link that receives from a request/response node.</summary>
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

    /// <summary>The connection has room again.</summary>
    public void OnWriteDrained()
    {
        ReplyLink[] all;
        lock (_gate)
            all = [.. _links];
        foreach (var link in all)
            link.SendWaiting();
    }

    /// <summary>Without a link to take it the reply is dropped: nobody is there any more.</summary>
    /// <param name="onDone">Called once, when the reply was sent or dropped.</param>
    public void Send(string node, string? replyTo, AmqpSession session, AmqpMessage reply, Action onDone)
    {
        if (Find(node, replyTo, session) is { } link)
            link.Send(reply, onDone);
        else
            onDone();
    }

    /// <summary>By the name that the request gave; SDKs mean the link's target address, or its name where they attach without one.
    /// Some give none at all: then it is the session's link, or the latest. Names are only unique within one node.</summary>
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

    /// <summary>Counts bytes that wait, or no longer do.</summary>
    /// <returns>Whether so many may wait.</returns>
    public bool CountWaiting(int bytes) => Interlocked.Add(ref _waitingBytes, bytes) <= maxWaitingBytes;
}
