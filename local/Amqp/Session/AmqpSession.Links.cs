namespace DroneDelivery.Amqp;

// Attach and detach (AMQP 1.0 §2.6.3 – §2.6.6).
public sealed partial class AmqpSession
{
    private readonly LinkTable _links;

    /// <summary>Accepts the peer's attach. Afterward, <see cref="AmqpLink.Credit"/> contains credit that a receiver has
    /// already granted; OnFlow is called only for later changes. If the peer has already gone, OnDetached is called
    /// before this method returns.</summary>
    /// <param name="reply">The source, target, max-message-size, and so on. Name, handle, role, and unset settlement
    /// modes are filled in.</param>
    public T Accept<T>(Attach remote, Attach reply, ILinkHandler handler)
        where T : AmqpLink
    {
        var link = Offered<T>(remote);
        link.Accept(reply, handler);
        return link;
    }

    /// <summary>Rejects a link: attaches it without source and target, and then detaches it with the error (AMQP 1.0
    /// §2.6.3).</summary>
    public void RefuseLink(Attach remote, AmqpError error)
    {
        lock (Connection.Gate)
            Offered<AmqpLink>(remote).Reject(error);
    }

    internal void OnAttach(Attach attach, IConnectionListener listener)
    {
        lock (Connection.Gate)
        {
            if (IsEnded)
                return;
            if (listener.TakeResponse(this, attach) is { } own)
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
                throw Error(ErrorConditions.ResourceLimitExceeded, "too many links on this connection");
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
            : throw new ArgumentException("The attach does not belong to this session and role.", nameof(remote));
}
