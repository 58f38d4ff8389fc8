namespace DroneDelivery.Amqp;

/// <summary>A link on which this end receives (AMQP 1.0 §2.6.7).</summary>
public sealed class ReceiverLink : AmqpLink
{
    private readonly byte[] _tag = new byte[Transfer.MaxTagLength];
    private AmqpWriter? _parts;
    private long _partBytes;
    private ulong _maxMessageSize;

    // The highest delivery-count for which credit was granted. Messages in transit can exceed credit that was since
    // revoked.
    private uint _grantedUpTo;
    private bool _isDraining;

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

    /// <summary>The number of bytes reserved in front of each message. Set it before granting credit.</summary>
    public int Headroom { get; set; }

    internal override LinkRole Role => LinkRole.Receiver;

    /// <summary>Sets the credit, replacing the remaining credit.</summary>
    /// <param name="credit">The number of messages, at most 2^31 - 1.</param>
    /// <param name="drain"><c>true</c> if the sender must use up or return the credit. OnFlow is called when it
    /// has.</param>
    public void SetCredit(uint credit, bool drain = false)
    {
        lock (Gate)
            Grant(credit, drain);
    }

    /// <summary>Adds credit atomically. Reading <see cref="AmqpLink.Credit"/> and setting a sum on another thread than
    /// the read loop could grant too much.</summary>
    public void AddCredit(uint credit)
    {
        lock (Gate)
            Grant((uint)Math.Min((ulong)_credit + credit, int.MaxValue), drain: false);
    }

    internal override void OnAttachSent(Attach attach) => _maxMessageSize = attach.MaxMessageSize ?? 0;

    internal override void ApplyFlow(in Flow flow)
    {
        // The sender's count advances only by returning credit.
        var givenBack = SerialNumber.Distance(flow.DeliveryCount ?? _deliveryCount, _deliveryCount);
        if (givenBack > 0)
        {
            _deliveryCount += (uint)givenBack;
            _credit -= Math.Min(_credit, (uint)givenBack);
        }
        if (flow.Echo && Handler is not null)
            WriteFlow(drain: false);
    }

    internal bool Admit(in Transfer transfer)
    {
        if (!_isPartial && !BeginDelivery(transfer))
            return false;
        if (transfer.DeliveryId is { } id && id != _deliveryId)
            throw AmqpSession.Error(ErrorConditions.InvalidField, "transfer.delivery-id changed within a delivery");
        _isSettled |= transfer.Settled == true;
        _state = transfer.State ?? _state;
        _isPartial = transfer is { More: true, Aborted: false };
        if (transfer.Aborted)
            RestoreCredit();
        if (_isPartial || _isSettled || transfer.Aborted)
            return true;
        return Session.Incoming.TryAdd(_deliveryId, this, context: null)
            ? true
            : throw AmqpSession.Error(
                ErrorConditions.InvalidField,
                $"transfer.delivery-id {_deliveryId} is already unsettled"
            );
    }

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

    // The owner isn't notified of aborted messages, so restore their credit.
    private void RestoreCredit()
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
