using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>The links of one connection on which clients get replies, and which reply goes where.</summary>
/// <param name="maxWaitingBytes">Replies of that size may wait for credit, all links together.</param>
/// <param name="onOverfull">Told the link for which more would have to wait.</param>
internal sealed class ReplyLinks(long maxWaitingBytes, Action<SenderLink> onOverfull)
{
    readonly Lock gate = new();
    readonly List<ReplyLink> links = [];
    long waitingBytes;

    /// <summary>Accepts a link that receives from a request/response node.</summary>
    public SenderLink Accept(string node, AmqpSession session, Attach attach, Action<AmqpLink> onDetached)
    {
        var reply = new ReplyLink(node, session, attach, CountWaiting, onOverfull, OnDetached);
        lock (gate) links.Add(reply);
        return reply.Accept(attach);

        void OnDetached(ReplyLink gone, AmqpLink link)
        {
            Remove(gone);
            onDetached(link);
        }
    }

    /// <summary>The connection has room again.</summary>
    public void OnWriteDrained()
    {
        ReplyLink[] all;
        lock (gate) all = [.. links];
        foreach (var link in all) link.OnWriteDrained();
    }

    /// <summary>Without a link to take it the reply is dropped: nobody is there any more.</summary>
    /// <param name="onDone">Called once, when the reply was sent or dropped.</param>
    public void Send(string node, string? replyTo, AmqpSession session, AmqpMessage reply, Action onDone)
    {
        if (Find(node, replyTo, session) is { } link) link.Send(reply, onDone);
        else onDone();
    }

    /// <summary>By the name that the request gave; SDKs mean the link's target address, or its name where they attach without one.
    /// Some give none at all: then it is the session's link, or the latest. Names are only unique within one node.</summary>
    ReplyLink? Find(string node, string? replyTo, AmqpSession session)
    {
        lock (gate)
        {
            return links.FindLast(link => link.Node == node && !string.IsNullOrEmpty(replyTo) && link.IsCalled(replyTo))
                ?? links.FindLast(link => link.Node == node && link.Session == session)
                ?? links.FindLast(link => link.Node == node);
        }
    }

    /// <returns>Whether so many may wait.</returns>
    bool CountWaiting(int bytes) => Interlocked.Add(ref waitingBytes, bytes) <= maxWaitingBytes;

    void Remove(ReplyLink link)
    {
        lock (gate) links.Remove(link);
    }
}
