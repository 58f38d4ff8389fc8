namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>
/// Moves the messages of a queue, a subscription or a dead-letter queue to the queue or topic that its options name: in order, one at a
/// time, each in one step of the journal. A message that the target rejects becomes a transfer dead letter. A dead letter waits in its queue
/// while the target is full or disabled.
/// </summary>
internal sealed class Forwarding
{
    /// <summary>The limit of the service, so that entities that forward to each other don't move a message forever.</summary>
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

    /// <summary>When the first message is tried again.</summary>
    public DateTimeOffset RetryAt { get; private set; } = DateTimeOffset.MaxValue;

    /// <exception cref="EntityException">InvalidOption: a target doesn't exist.</exception>
    public static void RequireTargets(QueueOptions options, ServiceBusNamespace entities)
    {
        foreach (var (target, option) in options.ForwardingTargets)
        {
            var path = EntityAddress.PathOf(target);
            if (entities.FindTarget(path) is not null)
                continue;
            // Clients recognize the case by the service's number.
            throw new EntityException(
                EntityFailure.InvalidOption,
                $"SubCode=40400. {option} of '{options.Name}' names '{Excerpt.Of(path)}', which does not exist: create the queue or topic first."
            );
        }
    }

    /// <summary>Starts or stops forwarding as the options of a queue and of its dead-letter queue require. Not safe for threads.</summary>
    public static void Follow(Queue queue, ServiceBusNamespace entities)
    {
        foreach (var part in new[] { queue, queue.DeadLetterQueue }.OfType<Queue>())
        {
            if (part.Options.ForwardTo is null)
                part.Forwarding?._receiver.Close();
            part.Forwarding = part.Options.ForwardTo is null ? null : part.Forwarding ?? new Forwarding(part, entities);
            part.Forwarding?._receiver.Signal();
        }
    }

    /// <summary>Tries the first message again if it is time.</summary>
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
        // The options can have changed since the turn began.
        if (_source.Options.ForwardTo is not { } name)
            return DeliveryResult.Refused;
        try
        {
            var path = EntityAddress.PathOf(name);
            var target = _entities.FindTarget(path);
            var isMoved = false;
            if (!_entities.Journal.TryMove(() => isMoved = TryMove(message, target, path)))
                return DeliveryResult.Refused;
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
            return DeliveryResult.Refused;
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
        var refusal = Give(message, target, path);
        if (refusal is null)
            _source.EndMove(message);
        else if (_source.DeadLetterSource is not null && refusal is (TargetFull or TargetDisabled, _))
            return false;
        else
            _source.EndTransfer(message, refusal.Value.Reason, refusal.Value.Description + FormerReason(message));
        return true;
    }

    /// <returns>Why the target rejects the message; <c>null</c> if it has it.</returns>
    private (string Reason, string Description)? Give(QueuedMessage message, Queue? target, string path)
    {
        if (message.Hops >= MaxHops)
            return (DeadLetterReason.TooManyHops, $"The message was forwarded {MaxHops} times already.");
        if (target is null)
            return ("MessagingEntityNotFound", $"'{path}' was deleted.");
        if (message.Content.WireSize > target.Options.MaxMessageSize)
            return ("MessageSizeExceeded", $"'{path}' takes messages of up to {target.Options.MaxMessageSize} bytes.");
        return target.TakeForwarded(message, ContentFor(target, message.Content), _source.DeadLetterSource) switch
        {
            QueueResult.Done => null,
            QueueResult.QuotaExceeded => (TargetFull, $"'{path}' is full."),
            QueueResult.NoSession => (
                DeadLetterReason.SessionIdIsNull,
                $"'{path}' requires sessions: the message has no session id."
            ),
            QueueResult.Disabled => (TargetDisabled, $"'{path}' is disabled for sends."),
            var result => ("InternalError", $"'{path}' has failed ({result}): delete it and create it again."),
        };
    }

    /// <summary>Reads the ids of the message if the target needs them and the source didn't.</summary>
    private MessageContent ContentFor(Queue target, MessageContent content)
    {
        var needsIds =
            (target.Options.ReadsSessions && content.SessionId is null)
            || (target.Options.RequiresDuplicateDetection && content.MessageId is null);
        return needsIds && _entities.Reader is { } reader ? reader.WithIds(content) : content;
    }

    /// <summary>The former dead-letter reason is overwritten, so it is appended to the description.</summary>
    private static string FormerReason(QueuedMessage message) =>
        message.ChangedProperties?.GetValueOrDefault(DeadLetterReason.Property) is { } reason
            ? $" It was a dead letter for: {reason}"
            : "";
}
