namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Forwards messages to another queue or topic in order, each in one atomic step of the journal. A message
/// that the target rejects is moved to the transfer dead-letter queue. A dead letter stays in its queue while the
/// target is full or disabled.</summary>
internal sealed class Forwarding
{
    /// <summary>The limit of Service Bus. It ends forwarding loops.</summary>
    public const int MaxHops = 4;

    private const string TargetFull = "QuotaExceeded",
        TargetDisabled = "MessagingEntityDisabled";

    private static readonly TimeSpan RetryPause = TimeSpan.FromSeconds(1);

    private readonly Queue _source;
    private readonly ServiceBusNamespace _entities;
    private readonly QueueReceiver _receiver;

    private Forwarding(Queue source, ServiceBusNamespace entities)
    {
        (_source, _entities) = (source, entities);
        _receiver = source.AddReceiver(
            ReceiveMode.ReceiveAndDelete,
            (message, _) => Forward(message),
            error => source.Report("forwarding", error),
            isOwn: true
        );
    }

    public DateTimeOffset RetryAt { get; private set; } = DateTimeOffset.MaxValue;

    /// <exception cref="EntityException">A target doesn't exist (InvalidOption).</exception>
    public static void RequireTargets(QueueOptions options, ServiceBusNamespace entities)
    {
        foreach (var (target, option) in options.ForwardingTargets)
        {
            var path = EntityAddress.PathOf(target);
            if (entities.FindTarget(path) is not null)
                continue;
            // SDKs recognize the case by this number.
            throw new EntityException(
                EntityFailure.InvalidOption,
                $"SubCode=40400. {option} of '{options.Name}' refers to '{Excerpt.Of(path)}', which does not exist. Create the queue or topic first."
            );
        }
    }

    /// <summary>Starts or stops forwarding according to the options of a queue and its dead-letter queue. Not
    /// thread-safe.</summary>
    public static void Configure(Queue queue, ServiceBusNamespace entities)
    {
        foreach (var part in new[] { queue, queue.DeadLetterQueue }.OfType<Queue>())
        {
            if (part.Options.ForwardTo is null)
                part.Forwarding?._receiver.Close();
            part.Forwarding = part.Options.ForwardTo is null ? null : part.Forwarding ?? new Forwarding(part, entities);
            part.Forwarding?._receiver.Signal();
        }
    }

    public void Retry()
    {
        if (_source.Change(false, TakeRetry))
            _receiver.Signal();
    }

    private bool TakeRetry()
    {
        if (RetryAt > _source.Now)
            return false;
        RetryAt = DateTimeOffset.MaxValue;
        return true;
    }

    private DeliveryResult Forward(QueuedMessage message)
    {
        if (_source.Options.ForwardTo is not { } name)
            return DeliveryResult.NotSent;
        try
        {
            var path = EntityAddress.PathOf(name);
            var target = _entities.FindTarget(path);
            var isMoved = false;
            if (!_entities.Journal.TryMove(() => isMoved = TryMove(message, target, path)))
                return DeliveryResult.NotSent;
            if (isMoved)
            {
                target?.Dispatch();
                return DeliveryResult.Moved;
            }
            _source.Change(() =>
            {
                RetryAt = _source.Now + RetryPause;
                _source.Timer.ArmNoLaterThan(RetryAt);
            });
            return DeliveryResult.NotSent;
        }
        catch (Exception error)
        {
            _source.Fail(error);
            return DeliveryResult.Failed;
        }
    }

    /// <returns><c>false</c> if the message is a dead letter that the target may accept later.</returns>
    private bool TryMove(QueuedMessage message, Queue? target, string path)
    {
        var rejection = Send(message, target, path);
        if (rejection is null)
            _source.EndMove(message);
        else if (_source.DeadLetterSource is not null && rejection is (TargetFull or TargetDisabled, _))
            return false;
        else
            _source.EndTransfer(message, rejection.Value.Reason, rejection.Value.Description + FormerReason(message));
        return true;
    }

    /// <returns>The reason for the rejection; <c>null</c> if the target accepted the message.</returns>
    private (string Reason, string Description)? Send(QueuedMessage message, Queue? target, string path)
    {
        if (message.Hops >= MaxHops)
            return (DeadLetterReason.TooManyHops, $"The message was already forwarded {MaxHops} times.");
        if (target is null)
            return ("MessagingEntityNotFound", $"'{path}' was deleted.");
        if (message.Content.WireSize > target.Options.MaxMessageSize)
        {
            return (
                "MessageSizeExceeded",
                $"'{path}' accepts messages of up to {target.Options.MaxMessageSize} bytes."
            );
        }
        return target.TakeForwarded(message, ContentFor(target, message.Content), _source.DeadLetterSource) switch
        {
            QueueResult.Done => null,
            QueueResult.QuotaExceeded => (TargetFull, $"'{path}' is full."),
            QueueResult.NoSession => (
                DeadLetterReason.SessionIdIsNull,
                $"'{path}' requires sessions, but the message has no session ID."
            ),
            QueueResult.Disabled => (TargetDisabled, $"'{path}' does not accept messages because of its status."),
            var result => ("InternalError", $"'{path}' has failed ({result}). Delete it and create it again."),
        };
    }

    private MessageContent ContentFor(Queue target, MessageContent content)
    {
        var needsIds =
            (target.Options.ReadsSessions && content.SessionId is null)
            || (target.Options.RequiresDuplicateDetection && content.MessageId is null);
        return needsIds && _entities.Reader is { } reader ? reader.WithIds(content) : content;
    }

    /// <summary>Returns the former dead-letter reason, because the property is overwritten.</summary>
    private static string FormerReason(QueuedMessage message) =>
        message.ChangedProperties?.GetValueOrDefault(DeadLetterReason.Property) is { } reason
            ? $" Former dead-letter reason: {reason}"
            : "";
}
