using System.Buffers;

namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>The description of a queue. Defaults are those of the service.</summary>
public sealed record QueueOptions(string Name)
{
    // '$' starts the names of an entity's own parts ($DeadLetterQueue, $management).
    static readonly SearchValues<char> Reserved = SearchValues.Create("$?#*\\@");

    /// <summary>How long a peek-locked message stays with its receiver. The service allows 5 s to 5 min; here anything above
    /// zero, because a lab that runs in short time needs locks that are short by the same factor.</summary>
    public TimeSpan LockDuration { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>A message whose delivery has failed this many times goes to the dead-letter queue.</summary>
    public int MaxDeliveryCount { get; init; } = 10;

    /// <summary>Upper limit of every message's own time to live.</summary>
    public TimeSpan DefaultMessageTimeToLive { get; init; } = TimeSpan.MaxValue;

    /// <summary>Whether expired messages go to the dead-letter queue instead of being dropped.</summary>
    public bool DeadLetteringOnMessageExpiration { get; init; }

    public bool RequiresDuplicateDetection { get; init; }

    public TimeSpan DuplicateDetectionHistoryTimeWindow { get; init; } = TimeSpan.FromMinutes(10);

    public long MaxSizeInMegabytes { get; init; } = 1024;

    /// <summary>Largest message or batch that is accepted, in bytes as encoded on the wire.</summary>
    public long MaxMessageSize { get; init; } = 256 * 1024;

    public EntityStatus Status { get; init; } = EntityStatus.Active;

    public string? UserMetadata { get; init; }

    public string? ForwardTo { get; init; }

    public string? ForwardDeadLetteredMessagesTo { get; init; }

    public bool RequiresSession { get; init; }

    /// <exception cref="EntityException">An option is out of range, or needs what this broker does not have.</exception>
    public QueueOptions Validate()
    {
        RequireName(Name);
        Require(LockDuration > TimeSpan.Zero, nameof(LockDuration), "be longer than zero");
        Require(MaxDeliveryCount > 0, nameof(MaxDeliveryCount), "be at least 1");
        Require(DefaultMessageTimeToLive > TimeSpan.Zero, nameof(DefaultMessageTimeToLive), "be longer than zero");
        Require(DuplicateDetectionHistoryTimeWindow > TimeSpan.Zero, nameof(DuplicateDetectionHistoryTimeWindow), "be longer than zero");
        Require(MaxSizeInMegabytes > 0, nameof(MaxSizeInMegabytes), "be at least 1");
        Require(MaxMessageSize > 0, nameof(MaxMessageSize), "be at least 1");
        RequireAbsent(RequiresSession, nameof(RequiresSession));
        RequireAbsent(!string.IsNullOrEmpty(ForwardTo), nameof(ForwardTo));
        RequireAbsent(!string.IsNullOrEmpty(ForwardDeadLetteredMessagesTo), nameof(ForwardDeadLetteredMessagesTo));
        return this;
    }

    static void RequireName(string name)
    {
        if (string.IsNullOrWhiteSpace(name) || name.Length > 260 || name.AsSpan().ContainsAny(Reserved) || name.StartsWith('/') || name.EndsWith('/'))
            throw new EntityException(EntityFailure.InvalidOption,
                $"'{name}' cannot name a queue: use 1 to 260 characters without $ ? # * \\ @, and no '/' at either end.");
    }

    void Require(bool holds, string option, string demand)
    {
        if (!holds) throw new EntityException(EntityFailure.InvalidOption, $"{option} of queue '{Name}' must {demand}.");
    }

    void RequireAbsent(bool present, string option)
    {
        if (present) throw new EntityException(EntityFailure.NotSupported, $"Queue '{Name}' asks for {option}, which this broker does not offer: leave it out.");
    }
}
