namespace DroneDelivery.Amqp;

// Transfers, windows, and settlement (AMQP 1.0 §2.5.6, §2.6.12).
public sealed partial class AmqpSession
{
    private readonly Queue<(AmqpLink Link, byte[] Frame)> _blocked = [];
    private readonly List<AmqpSession> _holdingBack;
    private readonly List<(uint Id, UnsettledDelivery Delivery)> _reported = [];
    private DispositionRun _asSender = new(LinkRole.Sender);
    private DispositionRun _asReceiver = new(LinkRole.Receiver);
    private bool _isHoldingBack;
    private uint _nextDeliveryId;
    private uint _nextOutgoingId;
    private uint _remoteIncomingWindow;
    private uint _nextIncomingId;
    private uint _incomingWindow;

    /// <summary>Requires the lock, like <see cref="Incoming"/>.</summary>
    internal UnsettledDeliveries Outgoing { get; }

    internal UnsettledDeliveries Incoming { get; } = new(count: null);

    /// <summary><c>true</c> if the peer accepts transfers and none are blocked.</summary>
    internal bool IsWindowOpen => _remoteIncomingWindow > 0 && _blocked.Count == 0;

    internal uint Send(
        SenderLink link,
        ReadOnlySpan<byte> tag,
        ReadOnlySpan<byte> head,
        ReadOnlySpan<byte> body,
        uint messageFormat,
        bool settled,
        object? context
    )
    {
        // This message may be a reply to a received one, so send dispositions first.
        _asReceiver.Write(Connection, Channel);
        var id = _nextDeliveryId++;
        if (!settled)
            Outgoing.TryAdd(id, link, context);
        var transfer = new Transfer
        {
            Handle = link.Handle,
            DeliveryId = id,
            DeliveryTag = tag,
            MessageFormat = messageFormat,
            Settled = settled,
        };
        do
        {
            WriteTransfer(link, ref transfer, ref head, ref body);
            transfer = new Transfer { Handle = link.Handle };
        } while (head.Length + body.Length > 0);
        Connection.Outbox.Wake();
        return id;
    }

    /// <summary>Combines the disposition with neighboring ones in the same state.</summary>
    internal void HoldBack(LinkRole role, uint deliveryId, DeliveryState? state, bool settled)
    {
        ref var run = ref role == LinkRole.Sender ? ref _asSender : ref _asReceiver;
        if (run.TryExtend(deliveryId, state, settled))
            return;
        run.Write(Connection, Channel);
        // Encode states with custom content immediately, so that the owner gets encoding errors.
        if (state is Rejected { Error: not null } or Modified { MessageAnnotations: not null })
        {
            Connection.Write(Channel, DispositionRun.Single(role, deliveryId, state, settled));
            return;
        }
        run.Start(deliveryId, state, settled);
        if (!_isHoldingBack)
            _holdingBack.Add(this);
        _isHoldingBack = true;
        Connection.Outbox.Wake();
    }

    internal void WriteHeldBackDispositions()
    {
        _isHoldingBack = false;
        _asSender.Write(Connection, Channel);
        _asReceiver.Write(Connection, Channel);
    }

    /// <summary>Writes a link's flow with the session's fields, which resets the incoming window.</summary>
    internal void WriteFlow(Flow flow)
    {
        _incomingWindow = _options.IncomingWindow;
        flow.NextIncomingId = _nextIncomingId;
        flow.IncomingWindow = _incomingWindow;
        flow.NextOutgoingId = _nextOutgoingId;
        flow.OutgoingWindow = _options.OutgoingWindow;
        Connection.Write(Channel, flow);
    }

    internal void OnTransfer(in Transfer transfer, ReadOnlySpan<byte> payload)
    {
        ReceiverLink link;
        lock (Connection.Gate)
        {
            if (IsEnded || !TakeIncomingWindow())
                return;
            link =
                _links.Find(transfer.Handle) as ReceiverLink
                ?? throw Error(
                    ErrorConditions.NotAllowed,
                    $"handle {transfer.Handle} belongs to a link on which this end sends"
                );
            if (link.IsClosed || !link.Admit(transfer))
                return;
        }
        link.Receive(transfer, payload);
    }

    internal void OnFlow(in Flow flow)
    {
        AmqpLink? link = null;
        List<SenderLink>? held = null;
        lock (Connection.Gate)
        {
            if (IsEnded)
                return;
            var wasOpen = IsWindowOpen;
            _remoteIncomingWindow = SerialNumber.Remaining(
                flow.IncomingWindow,
                flow.NextIncomingId ?? _options.FirstId,
                _nextOutgoingId
            );
            SendBlocked();
            if (flow.Handle is { } handle)
                link = _links.Find(handle);
            else if (flow.Echo)
                WriteFlow(default);
            if (link is { IsClosed: true })
                link = null;
            link?.ApplyFlow(flow);
            if (!wasOpen && IsWindowOpen)
                held = _links.Senders(except: link);
        }
        link?.Handler?.OnFlow(link);
        foreach (var sender in held ?? [])
            sender.Handler?.OnFlow(sender);
    }

    internal void OnDisposition(in Disposition disposition)
    {
        if (SerialNumber.Distance(disposition.Last, disposition.First) < 0)
            throw Error(ErrorConditions.InvalidField, "disposition.last is before disposition.first");
        // Non-terminal states need no handling.
        if (disposition is { Role: LinkRole.Receiver, Settled: false, State: null or Received or Declared })
            return;
        lock (Connection.Gate)
        {
            if (IsEnded)
                return;
            (disposition.Role == LinkRole.Receiver ? Outgoing : Incoming).Report(disposition, _reported);
        }
        foreach (var (id, delivery) in _reported)
        {
            delivery.Link.Handler?.OnDisposition(
                delivery.Link,
                id,
                delivery.Context,
                disposition.State,
                disposition.Settled
            );
        }

        _reported.Clear();
    }

    /// <summary>Returns <c>false</c>, after ending the session, if the peer exceeds the window.</summary>
    private bool TakeIncomingWindow()
    {
        if (_incomingWindow == 0)
        {
            BeginEnd(
                new AmqpError(
                    ErrorConditions.WindowViolation,
                    $"the incoming window of {_options.IncomingWindow} transfers was exceeded"
                )
            );
            return false;
        }
        _nextIncomingId++;
        _incomingWindow--;
        if (_incomingWindow <= _options.IncomingWindow / 2)
            WriteFlow(default);
        return true;
    }

    private void WriteTransfer(
        SenderLink link,
        ref Transfer transfer,
        ref ReadOnlySpan<byte> head,
        ref ReadOnlySpan<byte> body
    )
    {
        var writer = Connection.Outbox.Writer;
        var start = Frame.Begin(writer, Frame.AmqpType, Channel);
        transfer.Write(writer);
        var room = Connection.MaxFrameSize - (writer.Length - start);
        if (head.Length + body.Length > room)
        {
            // Booleans have a fixed size, so the room remains the same.
            transfer.More = true;
            writer.Truncate(start + Frame.HeadSize);
            transfer.Write(writer);
        }
        Move(writer, ref head, ref room);
        Move(writer, ref body, ref room);
        Frame.End(writer, start);
        if (_remoteIncomingWindow > 0 && _blocked.Count == 0)
            CountTransfer();
        else
            Block(link, writer, start);
    }

    private static void Move(AmqpWriter writer, ref ReadOnlySpan<byte> part, ref int room)
    {
        var count = Math.Min(part.Length, room);
        writer.WriteRaw(part[..count]);
        part = part[count..];
        room -= count;
    }

    private void CountTransfer()
    {
        _nextOutgoingId++;
        _remoteIncomingWindow--;
    }

    private void Block(SenderLink link, AmqpWriter writer, int start)
    {
        var frame = writer.WrittenSpan[start..].ToArray();
        writer.Truncate(start);
        _blocked.Enqueue((link, frame));
        Connection.Allowance.Blocked.Add(frame.Length);
    }

    private void SendBlocked()
    {
        while (_remoteIncomingWindow > 0 && _blocked.TryDequeue(out var blocked))
        {
            Connection.Outbox.Writer.WriteRaw(blocked.Frame);
            Connection.Allowance.Blocked.Add(-blocked.Frame.Length);
            CountTransfer();
        }
        if (Connection.Outbox.Writer.Length > 0)
            Connection.Outbox.Wake();
    }

    private void DropBlocked(AmqpLink? link)
    {
        for (var left = _blocked.Count; left > 0; left--)
        {
            var blocked = _blocked.Dequeue();
            if (link is null || blocked.Link == link)
                Connection.Allowance.Blocked.Add(-blocked.Frame.Length);
            else
                _blocked.Enqueue(blocked);
        }
    }
}
