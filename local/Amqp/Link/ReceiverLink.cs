namespace DroneDelivery.Amqp;

/// <summary>A link on which this end receives (AMQP 1.0 §2.6.7).</summary>
public sealed class ReceiverLink : AmqpLink
{
    private readonly byte[] _tag = new byte[Transfer.MaxTagLength];
    private AmqpWriter? _parts;
    private long _partBytes;
    private ulong _maxMessageSize;

    // The delivery-count up to which credit was ever granted: messages may be under way that credit taken back no longer covers.
    private uint _grantedUpTo;
    private bool _isDraining;

    // The delivery that is coming in, which may take several frames.
    private bool _isPartial;
    private bool _isOversized;
    private bool _hasTakenCredit;
    private uint _deliveryId;
    private int _tagLength;
    private uint _messageFormat;
    private bool _isSettled;
    private DeliveryState? _state;

    internal ReceiverLink(AmqpSession session, string name)
        : base(session, name) { }

    /// <summary>Bytes that are left free ahead of each message, for an owner that puts something in front of it. To be set before
    /// credit is granted.</summary>
    public int Headroom { get; set; }

    internal override LinkRole Role => LinkRole.Receiver;

    /// <summary>Grants credit: counted from now, not added.</summary>
    /// <param name="credit">messages; more than 2^31 - 1 counts as that</param>
    /// <param name="drain">the sender must use or give back all of it; OnFlow tells when it has</param>
    public void SetCredit(uint credit, bool drain = false)
    {
        lock (Gate)
            Grant(credit, drain);
    }

    /// <summary>
    /// Grants more, in one step: who reads <see cref="AmqpLink.Credit"/> and sets a sum of it on another thread than the read loop's
    /// grants a message too many when one arrives in between.
    /// </summary>
    public void AddCredit(uint credit)
    {
        lock (Gate)
            Grant((uint)Math.Min((ulong)_credit + credit, int.MaxValue), drain: false);
    }

    internal override void OnAttachSent(Attach attach) => _maxMessageSize = attach.MaxMessageSize ?? 0;

    internal override void ApplyFlow(in Flow flow)
    {
        // The sender only moves ahead of us by giving credit back.
        var givenBack = SerialNumber.Distance(flow.DeliveryCount ?? _deliveryCount, _deliveryCount);
        if (givenBack > 0)
        {
            _deliveryCount += (uint)givenBack;
            _credit -= Math.Min(_credit, (uint)givenBack);
        }
        if (flow.Echo && Handler is not null)
            WriteFlow(drain: false);
    }

    /// <summary>Counts a frame of a delivery. False when it is not to be received.</summary>
    internal bool Admit(in Transfer transfer)
    {
        if (!_isPartial && !BeginDelivery(transfer))
            return false;
        if (transfer.DeliveryId is { } id && id != _deliveryId)
            throw AmqpSession.Error(ErrorConditions.InvalidField, "transfer.delivery-id changes within a delivery");
        _isSettled |= transfer.Settled == true;
        _state = transfer.State ?? _state;
        _isPartial = transfer is { More: true, Aborted: false };
        if (transfer.Aborted)
            GiveCreditBack();
        if (_isPartial || _isSettled || transfer.Aborted)
            return true;
        return Session.Incoming.TryAdd(_deliveryId, this, context: null)
            ? true
            : throw AmqpSession.Error(
                ErrorConditions.InvalidField,
                $"transfer.delivery-id {_deliveryId} is unsettled already"
            );
    }

    /// <summary>Read loop, without the lock: the bytes of an admitted frame.</summary>
    internal void Receive(in Transfer transfer, ReadOnlySpan<byte> payload)
    {
        if (transfer.Aborted)
        {
            DropParts();
            return;
        }
        if (!_isOversized && _maxMessageSize > 0 && (ulong)(payload.Length + (_parts?.Length ?? 0)) > _maxMessageSize)
        {
            _isOversized = true;
            DropParts();
        }
        if (transfer.More)
        {
            if (!_isOversized)
                Keep(payload);
            return;
        }
        Deliver(
            _isOversized ? []
            : _parts is { Length: > 0 } ? TakeParts(payload)
            : Copy(payload)
        );
    }

    private protected override void ApplyRemoteAttach(Attach remote) =>
        _grantedUpTo = _deliveryCount = remote.InitialDeliveryCount ?? 0;

    private protected override void ReleaseBuffers() => DropParts();

    private bool BeginDelivery(in Transfer transfer)
    {
        if (SerialNumber.Distance(_deliveryCount, _grantedUpTo) >= 0)
        {
            Detach(new AmqpError(ErrorConditions.TransferLimitExceeded, "transfer received without link credit"));
            return false;
        }
        _deliveryId = transfer.DeliveryId ?? throw FieldReader.Missing("transfer.delivery-id");
        transfer.DeliveryTag.CopyTo(_tag);
        _tagLength = transfer.DeliveryTag.Length;
        _messageFormat = transfer.MessageFormat ?? 0;
        _isSettled = false;
        _isOversized = false;
        _state = null;
        _deliveryCount++;
        _hasTakenCredit = _credit > 0;
        if (_hasTakenCredit)
            _credit--;
        return true;
    }

    // The owner never hears of a message that is aborted, and would not miss its credit.
    private void GiveCreditBack()
    {
        if (_hasTakenCredit && !_isDraining)
            Grant(_credit + 1, drain: false);
    }

    private void Grant(uint credit, bool drain)
    {
        if (IsClosed)
            return;
        _isDraining = drain;
        _credit = Math.Min(credit, int.MaxValue);
        if (SerialNumber.Distance(_deliveryCount + _credit, _grantedUpTo) > 0)
            _grantedUpTo = _deliveryCount + _credit;
        WriteFlow(drain);
    }

    private void Keep(ReadOnlySpan<byte> payload)
    {
        if (!Session.Connection.Allowance.TryAddPart(payload.Length, _partBytes))
        {
            DropParts();
            Detach(
                new AmqpError(
                    ErrorConditions.ResourceLimitExceeded,
                    "too many bytes of unfinished messages on this connection"
                )
            );
            return;
        }
        _partBytes += payload.Length;
        (_parts ??= new AmqpWriter(2 * payload.Length)).WriteRaw(payload);
    }

    // The next message of this size is better off with a buffer from the pool than this link with one for ever.
    private void DropParts()
    {
        Session.Connection.Allowance.RemoveParts(_partBytes);
        _partBytes = 0;
        _parts?.Dispose();
    }

    private byte[] TakeParts(ReadOnlySpan<byte> last)
    {
        _parts!.WriteRaw(last);
        var message = Copy(_parts.WrittenSpan);
        DropParts();
        return message;
    }

    private byte[] Copy(ReadOnlySpan<byte> message)
    {
        var buffer = GC.AllocateUninitializedArray<byte>(Headroom + message.Length);
        message.CopyTo(buffer.AsSpan(Headroom));
        return buffer;
    }

    private void Deliver(byte[] buffer) =>
        Handler?.OnDelivery(
            this,
            new IncomingDelivery
            {
                DeliveryId = _deliveryId,
                Tag = _tag.AsSpan(0, _tagLength),
                MessageFormat = _messageFormat,
                Settled = _isSettled,
                State = _state,
                IsOversized = _isOversized,
                Headroom = Math.Min(Headroom, buffer.Length),
                Buffer = buffer,
            }
        );
}
