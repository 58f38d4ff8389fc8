namespace DroneDelivery.Amqp;

// Attach and detach (AMQP 1.0 §2.6.3 – §2.6.6).
public sealed partial class AmqpSession
{
    private readonly LinkTable _links;

    /// <summary>
    /// Answers a peer that attached. Credit that a receiver granted before this call is in <see cref="AmqpLink.Credit"/>; OnFlow is only
    /// called for what comes later. A sender has no credit yet. When the peer is gone already, OnDetached is called before the return.
    /// </summary>
    /// <param name="reply">source, target, max-message-size and the like; name, handle, role and unset settle modes are filled in</param>
    /// <exception cref="AmqpException">the answer does not fit into the peer's frames</exception>
    public T Accept<T>(Attach remote, Attach reply, ILinkHandler handler)
        where T : AmqpLink
    {
        var link = Offered<T>(remote);
        link.Accept(reply, handler);
        return link;
    }

    /// <summary>Attaches without source or target and detaches with the error: how a link is refused (AMQP 1.0 §2.6.3).</summary>
    /// <exception cref="AmqpException">the answer does not fit into the peer's frames</exception>
    public void RefuseLink(Attach remote, AmqpError error)
    {
        lock (Connection.Gate)
            Offered<AmqpLink>(remote).Refuse(error);
    }

    internal void OnAttach(Attach attach, IConnectionListener listener)
    {
        lock (Connection.Gate)
        {
            if (IsEnded)
                return;
            if (listener.TakeAnswer(this, attach) is { } own)
            {
                _links.Map(attach.Handle, own);
                return;
            }
            attach.Link =
                attach.Role == LinkRole.Receiver
                    ? new SenderLink(this, attach.Name)
                    : new ReceiverLink(this, attach.Name);
            _links.Map(attach.Handle, attach.Link);
            if (!Connection.Allowance.TryAddLink())
            {
                throw Error(ErrorConditions.ResourceLimitExceeded, "the connection has too many links");
            }

            attach.Link.OnAttached(attach);
        }
        listener.OnAttach(this, attach);
    }

    internal void OnDetach(Detach detach)
    {
        AmqpLink link;
        lock (Connection.Gate)
        {
            if (IsEnded)
                return;
            link = _links.Find(detach.Handle);
            link.OnDetach(detach);
            _links.Remove(link, detach.Handle);
            ForgetAttach(link);
        }
        link.Finish(detach.Error);
    }

    internal void WriteAttach(AmqpLink link, Attach attach)
    {
        attach.Name = link.Name;
        attach.Handle = link.Handle = _links.Add(link);
        attach.Role = link.Role;
        Connection.Write(Channel, attach);
    }

    /// <summary>Transfers of the link that the window holds up are not sent any more.</summary>
    internal void WriteDetach(AmqpLink link, bool closed, AmqpError? error)
    {
        WriteHeldBackDispositions();
        DropBlocked(link);
        Connection.Write(Channel, new Detach(link.Handle, closed, error));
    }

    private void ForgetAttach(AmqpLink link)
    {
        if (link.Remote is { Link: not null })
            Connection.Allowance.RemoveLink();
    }

    private T Offered<T>(Attach remote)
        where T : AmqpLink =>
        remote.Link is T link && link.Session == this
            ? link
            : throw new ArgumentException(
                "Not an attach that OnAttach gave for this session and this role.",
                nameof(remote)
            );
}
