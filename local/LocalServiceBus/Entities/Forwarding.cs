namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>
/// Brings the messages of a queue or subscription, or its dead letters, to the queue or topic that its options name: in their order, one at
/// a time, as one move for the journal. A message that cannot go there becomes a transfer dead letter of the entity that it is in, and
/// stays one until a client receives it. Dead letters wait in their queue while the target is full or disabled.
/// </summary>
internal sealed class Forwarding(ServiceBusNamespace entities)
{
    /// <summary>The service's: entities that forward to each other do not carry a message around for ever.</summary>
    public const int MostHops = 4;

    private const string TargetFull = "QuotaExceeded",
        TargetDisabled = "MessagingEntityDisabled";

    private static readonly TimeSpan RetryPause = TimeSpan.FromSeconds(1);

    /// <exception cref="EntityException">InvalidOption: a target is not there.</exception>
    public void RequireTargets(QueueOptions options)
    {
        foreach (var (target, option) in options.ForwardingTargets)
        {
            var path = EntityAddress.PathOf(target);
            if (entities.FindTarget(path) is not null)
                continue;
            // The number is the service's, by which clients know the case.
            throw new EntityException(
                EntityFailure.InvalidOption,
                $"SubCode=40400. {option} of '{options.Name}' names '{Excerpt.Of(path)}', which does not exist: create the queue or topic first."
            );
        }
    }

    /// <summary>The queue is new, or its options have changed.</summary>
    public void Follow(Queue queue)
    {
        queue.Forward(Forward);
        queue.DeadLetterQueue?.Forward(Forward);
    }

    private HandOver Forward(Queue source, QueuedMessage message)
    {
        // It may have changed since the turn began.
        if (source.Options.ForwardTo is not { } name)
            return HandOver.Refused;
        try
        {
            var path = EntityAddress.PathOf(name);
            var target = entities.FindTarget(path);
            var isMoved = false;
            if (!entities.Journal.TryMove(() => isMoved = TryMove(source, message, target, path)))
                return HandOver.Refused;
            if (isMoved)
            {
                target?.Dispatch();
                return HandOver.Moved;
            }
            source.ForwardLater(RetryPause);
            return HandOver.Refused;
        }
        catch (Exception error)
        {
            source.Fail(error);
            return HandOver.Failed;
        }
    }

    /// <returns><c>false</c> if the message is a dead letter that the target may accept later.</returns>
    private bool TryMove(Queue source, QueuedMessage message, Queue? target, string path)
    {
        var refusal = Give(source, message, target, path);
        if (refusal is null)
            source.EndMove(message);
        else if (source.DeadLetterSource is not null && refusal is (TargetFull or TargetDisabled, _))
            return false;
        else
            source.EndTransfer(message, refusal.Value.Reason, refusal.Value.Description + FormerReason(message));
        return true;
    }

    /// <returns>Why the target does not get it; null: it has it.</returns>
    private (string Reason, string Description)? Give(Queue source, QueuedMessage message, Queue? target, string path)
    {
        if (message.Hops >= MostHops)
            return (DeadLetterReason.TooManyHops, $"The message was forwarded {MostHops} times already.");
        if (target is null)
            return ("MessagingEntityNotFound", $"'{path}' was deleted.");
        if (message.Content.WireSize > target.Options.MaxMessageSize)
            return ("MessageSizeExceeded", $"'{path}' takes messages of up to {target.Options.MaxMessageSize} bytes.");
        return target.TakeForwarded(message, ContentFor(target, message.Content), source.DeadLetterSource) switch
        {
            QueueResult.Done => null,
            QueueResult.QuotaExceeded => (TargetFull, $"'{path}' is full."),
            QueueResult.NoSession => (
                DeadLetterReason.SessionIdIsNull,
                $"'{path}' requires sessions: the message has no session id."
            ),
            QueueResult.Disabled => (TargetDisabled, $"'{path}' is disabled for sends."),
            var result => ("InternalError", $"'{path}' has failed ({result}): delete it and create it anew."),
        };
    }

    /// <summary>The ids of messages are read only where somebody needs them, and here nobody did so far.</summary>
    private MessageContent ContentFor(Queue target, MessageContent content)
    {
        var needsIds =
            (target.Options.ReadsSessions && content.SessionId is null)
            || (target.Options.RequiresDuplicateDetection && content.MessageId is null);
        return needsIds && entities.Reader is { } reader ? reader.WithIds(content) : content;
    }

    /// <summary>The former dead-letter reason is overwritten, so it is appended to the description.</summary>
    private static string FormerReason(QueuedMessage message) =>
        message.ChangedProperties?.GetValueOrDefault(DeadLetterReason.Property) is { } reason
            ? $" It was a dead letter for: {reason}"
            : "";
}
