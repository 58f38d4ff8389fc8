namespace DroneDelivery.Amqp;

/// <summary>A session: ordered transfers, windows and delivery-ids for its links (AMQP 1.0 §2.5).</summary>
public sealed class AmqpSession
{
    private AmqpSession() { }

    public AmqpConnection Connection => throw new NotImplementedException();

    /// <summary>Free for the owner.</summary>
    public object? State { get; set; }

    /// <summary>True from the moment either side ended the session or the connection is gone.</summary>
    public bool IsEnded => throw new NotImplementedException();

    /// <summary>Attaches a link on which this end sends.</summary>
    /// <exception cref="AmqpException">the peer refused it; its error</exception>
    public Task<SenderLink> AttachSenderAsync(Attach attach, ISenderHandler handler, CancellationToken ct) => throw new NotImplementedException();

    /// <summary>Attaches a link on which this end receives; it has no credit yet.</summary>
    /// <exception cref="AmqpException">the peer refused it; its error</exception>
    public Task<ReceiverLink> AttachReceiverAsync(Attach attach, IReceiverHandler handler, CancellationToken ct) => throw new NotImplementedException();

    /// <summary>
    /// Answers a peer that attached as receiver. Credit that it granted before this call is in <see cref="SenderLink.Credit"/>;
    /// OnFlow is only called for what comes later.
    /// </summary>
    /// <param name="remote">what OnAttach gave</param>
    /// <param name="reply">source, target and the like; name, handle and role are filled in</param>
    /// <param name="handler">of the new link</param>
    public SenderLink AcceptSender(Attach remote, Attach reply, ISenderHandler handler) => throw new NotImplementedException();

    /// <summary>Answers a peer that attached as sender; the link has no credit yet.</summary>
    /// <param name="remote">what OnAttach gave</param>
    /// <param name="reply">source, target, max-message-size and the like; name, handle and role are filled in</param>
    /// <param name="handler">of the new link</param>
    public ReceiverLink AcceptReceiver(Attach remote, Attach reply, IReceiverHandler handler) => throw new NotImplementedException();

    /// <summary>Attaches without source or target and detaches with the error: how a link is refused (AMQP 1.0 §2.6.3).</summary>
    public void RefuseLink(Attach remote, AmqpError error) => throw new NotImplementedException();

    /// <summary>Sends end and waits for the peer's. All links of the session are gone from the moment of the call.</summary>
    public Task EndAsync(AmqpError? error = null, CancellationToken ct = default) => throw new NotImplementedException();
}
