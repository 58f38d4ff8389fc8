namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>
/// Brings the messages of a queue or subscription, or its dead letters, to the queue or topic that its options name: in their order, one at
/// a time, as one move for the journal. A message that cannot go there becomes a transfer dead letter of the entity that it is in, and
/// stays one until a client receives it.
/// </summary>
internal sealed class Forwarding(ServiceBusNamespace entities)
{
    /// <summary>The service's: entities that forward to each other do not carry a message around for ever.</summary>
    public const int MostHops = 4;

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
                $"SubCode=40400. {option} of '{options.Name}' names '{Excerpt.Of(path)}', which is no queue or topic: create it first."
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
            if (!entities.Journal.TryMove(() => Move(source, message, target, path)))
                return HandOver.Refused;
            target?.Dispatch();
            return HandOver.Moved;
        }
        catch (Exception error)
        {
            source.Fail(error);
            return HandOver.Failed;
        }
    }

    private void Move(Queue source, QueuedMessage message, Queue? target, string path)
    {
        if (Give(source, message, target, path) is var (reason, description))
            source.EndTransfer(message, reason, description + FormerReason(message));
        else
            source.EndMove(message);
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
            QueueResult.QuotaExceeded => ("QuotaExceeded", $"'{path}' is full."),
            QueueResult.NoSession => (
                DeadLetterReason.SessionIdIsNull,
                $"'{path}' requires sessions: the message has no session id."
            ),
            QueueResult.Disabled => ("MessagingEntityDisabled", $"'{path}' is disabled for sends."),
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

    /// <summary>What was written on a dead letter is written over.</summary>
    private static string FormerReason(QueuedMessage message) =>
        message.ChangedProperties?.GetValueOrDefault(DeadLetterReason.Property) is { } reason
            ? $" It was a dead letter for: {reason}"
            : "";
}
