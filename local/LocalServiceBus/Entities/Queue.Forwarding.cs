namespace DroneDelivery.LocalServiceBus.Entities;

// What a queue forwards, and what is forwarded to it. See Forwarding.
internal sealed partial class Queue
{
    private readonly Lazy<Queue>? _transferDeadLetters;
    private QueueReceiver? _forwarder;
    private DateTimeOffset _forwardAt = DateTimeOffset.MaxValue;

    /// <summary>Where messages go that cannot be forwarded; null for such a queue itself, for a dead-letter queue, and for the queue of a
    /// topic.</summary>
    public Queue? TransferDeadLetterQueue => _transferDeadLetters?.Value;

    /// <summary>Null as well while nobody has asked for it: few queues need one.</summary>
    internal Queue? TransferDeadLettersSoFar =>
        _transferDeadLetters is { IsValueCreated: true } made ? made.Value : null;

    /// <summary>Messages go on to another entity, and clients receive none.</summary>
    internal bool IsForwarding => Options.ForwardTo is not null;

    internal bool IsSendDisabled => _isDeleted || Options.Status is EntityStatus.Disabled or EntityStatus.SendDisabled;

    internal bool IsReceiveDisabled => Options.Status is EntityStatus.Disabled or EntityStatus.ReceiveDisabled;

    /// <summary>Clients receive nothing.</summary>
    internal bool IsClosed => IsForwarding || IsReceiveDisabled;

    /// <summary>Whose dead letters these are; null: it is no dead-letter queue.</summary>
    internal string? DeadLetterSource => _parent?.Name;

    /// <summary>Messages go on from now, or stay from now, as the options have it. Not safe for threads.</summary>
    internal void Forward(Func<Queue, QueuedMessage, HandOver> forward)
    {
        if (!IsForwarding)
        {
            _forwarder?.Close();
            _forwarder = null;
            return;
        }
        _forwarder ??= AddReceiver(
            ReceiveMode.ReceiveAndDelete,
            (message, _) => forward(this, message),
            error => Report("forwarding", error),
            isOwn: true
        );
        _forwarder.Signal();
    }

    /// <summary>The first message waits in its place for a target that does not accept it now.</summary>
    internal void ForwardLater(TimeSpan pause) =>
        Change(() =>
        {
            _forwardAt = _clock.Now + pause;
            _timer.ArmNoLaterThan(_forwardAt);
        });

    /// <returns>Whether to forward again now.</returns>
    private bool TakeForwarding()
    {
        if (_forwardAt > _clock.Now)
            return false;
        _forwardAt = DateTimeOffset.MaxValue;
        return true;
    }

    /// <summary>Takes a message of another entity as if it were sent here. It needs no more memory and no more room on the disk than it
    /// has there. Receivers get it with the next <see cref="Dispatch"/>.</summary>
    /// <param name="deadLetterSource">See <see cref="QueuedMessage.DeadLetterSource"/>.</param>
    internal QueueResult TakeForwarded(QueuedMessage original, MessageContent content, string? deadLetterSource) =>
        Change(QueueResult.Failed, () =>
        {
            if (CanTake(content) is not QueueResult.Done and var refusal)
                return refusal;
            var now = _clock.Now;
            _contents.AddForwarded(original, content, deadLetterSource, now);
            Touch(now);
            return QueueResult.Done;
        });

    /// <summary>Takes a message of its topic, whatever the limits: there it was accepted already. Receivers get it with the next
    /// <see cref="Dispatch"/>.</summary>
    internal void TakeOver(QueuedMessage original, MessageContent content) =>
        Change(() =>
        {
            if (!_isDeleted)
                _contents.TakeOver(original, content);
        });

    /// <summary>The same into the dead-letter queue.</summary>
    internal void TakeOverDead(QueuedMessage original, string reason, string description) =>
        Change(() =>
        {
            if (!_isDeleted)
                _contents.TakeOverDead(original, original.Content, reason, description);
        });

    /// <summary>A message that is under way has arrived elsewhere.</summary>
    internal void EndMove(QueuedMessage message) => Change(() => _contents.EndMove(message));

    /// <summary>A message that is under way cannot arrive where it should.</summary>
    internal void EndTransfer(QueuedMessage message, string reason, string description)
    {
        var transfers = (_parent ?? this).TransferDeadLetterQueue!;
        Change(() => _contents.EndTransfer(message, transfers, DeadLetterReason.Properties(reason, description)));
    }

    internal void Report(string what, Exception error) => _defects.Report($"{what} of '{Name}'", error);

    private Queue NewTransferDeadLetterQueue()
    {
        var queue = new Queue(
            TransferDeadLetterOptions(Options),
            _clock,
            _memory,
            _defects,
            _journal.TransferDeadLetters,
            this
        );
        HoldsBehind = () => queue.SizeInBytes;
        return queue;
    }

    private static QueueOptions TransferDeadLetterOptions(QueueOptions options) =>
        DeadLetterOptions(options) with
        {
            Name = $"{options.Name}/$Transfer/$DeadLetterQueue",
            ForwardTo = null,
        };
}
