using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Journal;

/// <summary>A message as the file has it: everything but locks. Never changed.</summary>
/// <param name="Id">Its key; kept when the message moves to the dead-letter queue.</param>
/// <param name="Queue">Key of the queue.</param>
/// <param name="IsDead">Whether it is in the dead-letter queue.</param>
internal sealed record MessageRow(long Id, long Queue, bool IsDead)
{
    public required long Number { get; init; }
    public required long FirstNumber { get; init; }
    public required MessageState State { get; init; }
    public required int Deliveries { get; init; }
    public required DateTimeOffset EnqueuedAt { get; init; }
    public required DateTimeOffset ExpiresAt { get; init; }

    /// <summary>Properties that receivers changed, encoded when the row is made: what cannot be encoded fails there, and never while the
    /// file is written, where it would fail again with every try.</summary>
    public required byte[]? Properties { get; init; }
    public required MessageContent Content { get; init; }

    /// <param name="id">Its key.</param>
    /// <param name="queue">Key of the queue.</param>
    /// <param name="isDead">Whether it is in the dead-letter queue.</param>
    /// <param name="message">As it is now; a lock on it is not kept.</param>
    public static MessageRow Of(long id, long queue, bool isDead, QueuedMessage message) => new(id, queue, isDead)
    {
        Number = message.SequenceNumber,
        FirstNumber = message.EnqueuedSequenceNumber,
        State = message.IsDeferred ? MessageState.Deferred
            : message.State == MessageState.Scheduled ? MessageState.Scheduled
            : MessageState.Active,
        Deliveries = message.DeliveryCount,
        EnqueuedAt = message.EnqueuedAt,
        ExpiresAt = message.ExpiresAt,
        Properties = ChangedProperties.Encode(message.ChangedProperties),
        Content = message.Content,
    };

    /// <param name="withSession">Whether somebody needs its session id.</param>
    public QueuedMessage ToMessage(bool withSession)
    {
        var content = withSession
            ? Content with { SessionId = IncomingMessage.SessionIdOf(MessageSections.Split(Content.Body).Properties) }
            : Content;
        var message = new QueuedMessage(content, EnqueuedAt)
        {
            JournalId = Id,
            SequenceNumber = Number,
            EnqueuedSequenceNumber = FirstNumber,
            DeliveryCount = Deliveries,
            ExpiresAt = ExpiresAt,
            IsDeferred = State == MessageState.Deferred,
            State = State,
        };
        message.ChangeProperties(ChangedProperties.Decode(Properties));
        return message;
    }
}

/// <summary>A queue as the file has it.</summary>
internal sealed record QueueRow(long Id, QueueOptions Options)
{
    public long LastNumber { get; init; }
    public long LastDeadNumber { get; init; }
}
