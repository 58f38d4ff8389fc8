using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;

namespace DroneDelivery.LocalServiceBus.Journal;

/// <summary>Where a queue has a message. The numbers are those of the file.</summary>
internal enum Place
{
    Queue = 0,
    DeadLetters = 1,
    TransferDeadLetters = 2,
}

/// <summary>A message as the file has it: everything but locks. Never changed.</summary>
/// <param name="Id">Its key; kept when the message moves to a dead-letter queue.</param>
/// <param name="Queue">Key of the queue.</param>
/// <param name="Place">Where the queue has it.</param>
internal sealed record MessageRow(long Id, long Queue, Place Place)
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
    public required int Hops { get; init; }
    public required string? DeadLetterSource { get; init; }

    /// <param name="id">Its key.</param>
    /// <param name="queue">Key of the queue.</param>
    /// <param name="place">Where the queue has it.</param>
    /// <param name="message">As it is now; a lock on it is not kept.</param>
    public static MessageRow Of(long id, long queue, Place place, QueuedMessage message) => new(id, queue, place)
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
        Hops = message.Hops,
        DeadLetterSource = message.DeadLetterSource,
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
            Hops = Hops,
            DeadLetterSource = DeadLetterSource,
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
    public required LastNumbers LastNumbers { get; init; }
}

/// <summary>The highest numbers that a queue has given.</summary>
/// <param name="Own">To its own messages.</param>
/// <param name="Dead">To its dead letters.</param>
/// <param name="TransferDead">To messages that it could not forward.</param>
internal readonly record struct LastNumbers(long Own, long Dead, long TransferDead)
{
    public LastNumbers With(Place place, long number) => Max(place switch
    {
        Place.Queue => new(number, 0, 0),
        Place.DeadLetters => new(0, number, 0),
        _ => new(0, 0, number),
    });

    public LastNumbers Max(LastNumbers other) =>
        new(Math.Max(Own, other.Own), Math.Max(Dead, other.Dead), Math.Max(TransferDead, other.TransferDead));
}
