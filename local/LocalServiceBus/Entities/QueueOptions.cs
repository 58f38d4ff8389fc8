using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Entities;

public enum EntityKind
{
    Queue,

    Topic,

    Subscription,
}

/// <summary>The options of a queue, topic, or subscription. Defaults and limits are those of Service Bus unless stated
/// otherwise.</summary>
public sealed record QueueOptions(string Name)
{
    private const int MaxNameLength = 260,
        MaxSubscriptionNameLength = 50,
        MaxMetadataLength = 1024,
        MaxKeys = 12;
    private const string BeforeSubscription = "/Subscriptions/";

    private static readonly (TimeSpan Min, TimeSpan Max) LockDurations = (
        TimeSpan.FromMilliseconds(5),
        TimeSpan.FromMinutes(5)
    );
    private static readonly (TimeSpan Min, TimeSpan Max) DuplicateWindows = (
        TimeSpan.FromSeconds(5),
        TimeSpan.FromDays(7)
    );
    private static readonly TimeSpan MinTimeToLive = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MinIdleTime = TimeSpan.FromMinutes(5);

    /// <summary>How long a receiver holds a peek-locked message, from 5 ms to 5 min. Service Bus requires at least 5 s;
    /// shorter locks allow accelerated runs.</summary>
    public TimeSpan LockDuration { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>The number of failed deliveries after which a message is dead-lettered, at least 1. Service Bus allows
    /// at most 2,000.</summary>
    public int MaxDeliveryCount { get; init; } = 10;

    /// <summary>The maximum time to live of messages, at least 1 s.</summary>
    public TimeSpan DefaultMessageTimeToLive { get; init; } = TimeSpan.MaxValue;

    /// <summary><c>true</c> to dead-letter expired messages; <c>false</c> to drop them.</summary>
    public bool DeadLetteringOnMessageExpiration { get; init; }

    public bool RequiresDuplicateDetection { get; init; }

    /// <summary>How long message IDs are remembered, from 5 s (like the official emulator's schema; Service Bus
    /// requires 20 s) to 7 days.</summary>
    public TimeSpan DuplicateDetectionHistoryTimeWindow { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>The maximum size of the entity, from 1 MB to 80 GB. Service Bus requires at least 1 GB.</summary>
    public long MaxSizeInMegabytes { get; init; } = 1024;

    /// <summary>The maximum size of a message or batch, in encoded bytes: from 1 KB to 100 MB.</summary>
    public long MaxMessageSize { get; init; } = 256 * 1024;

    public EntityStatus Status { get; init; } = EntityStatus.Active;

    public EntityKind Kind { get; init; }

    /// <summary><c>true</c> if session IDs must be read. A topic reads them for all its subscriptions.</summary>
    internal bool ReadsSessions => RequiresSession || Kind == EntityKind.Topic;

    /// <summary>For a subscription, <c>true</c> to dead-letter messages that match no rule and for which a rule
    /// fails.</summary>
    public bool DeadLetteringOnFilterEvaluationExceptions { get; init; } = true;

    /// <summary>The rules of a subscription.</summary>
    public IReadOnlyList<RuleDescription>? Rules { get; init; }

    /// <summary>Stored but without effect: entities have one partition.</summary>
    public bool EnablePartitioning { get; init; }

    /// <summary>Stored but without effect: operations are always batched.</summary>
    public bool EnableBatchedOperations { get; init; } = true;

    /// <summary>Any text of up to 1,024 characters.</summary>
    public string? UserMetadata { get; init; }

    /// <summary>The name or address of the queue or topic that gets all messages; <c>null</c> if messages aren't
    /// forwarded.</summary>
    public string? ForwardTo { get; init; }

    /// <summary>The name or address of the queue or topic that gets all dead letters; <c>null</c> if they aren't
    /// forwarded.</summary>
    public string? ForwardDeadLetteredMessagesTo { get; init; }

    /// <summary>The idle time after which the entity is deleted, at least 5 min.</summary>
    public TimeSpan AutoDeleteOnIdle { get; init; } = TimeSpan.MaxValue;

    /// <summary>The shared access rules of a queue or topic, in addition to those of the namespace.</summary>
    public IReadOnlyList<EntityKeys>? AuthorizationRules { get; init; }

    /// <summary><c>true</c> if each message belongs to a session, which one receiver at a time can lock.</summary>
    public bool RequiresSession { get; init; }

    /// <summary>Creates the options of a subscription with the default rule, which accepts all messages.</summary>
    public static QueueOptions OfSubscription(string topic, string name) =>
        new($"{topic}{BeforeSubscription}{name}")
        {
            Kind = EntityKind.Subscription,
            Rules = [new RuleDescription(RuleDescription.DefaultName)],
        };

    internal static bool TrySplit(string path, out string topic, out string subscription)
    {
        var at = path.IndexOf(BeforeSubscription, StringComparison.OrdinalIgnoreCase);
        (topic, subscription) = at < 0 ? (path, "") : (path[..at], path[(at + BeforeSubscription.Length)..]);
        return at >= 0;
    }

    /// <exception cref="EntityException">An option is out of range or unsupported.</exception>
    internal QueueOptions Validate()
    {
        RequireName();
        RequireRange(LockDuration, LockDurations.Min, LockDurations.Max, nameof(LockDuration));
        RequireRange(DefaultMessageTimeToLive, MinTimeToLive, TimeSpan.MaxValue, nameof(DefaultMessageTimeToLive));
        var window = DuplicateDetectionHistoryTimeWindow;
        RequireRange(window, DuplicateWindows.Min, DuplicateWindows.Max, nameof(DuplicateDetectionHistoryTimeWindow));
        RequireRange(MaxDeliveryCount, 1, int.MaxValue, nameof(MaxDeliveryCount));
        RequireRange(MaxSizeInMegabytes, 1, 80 * 1024, nameof(MaxSizeInMegabytes));
        RequireRange(MaxMessageSize, 1024, 100 * 1024 * 1024, nameof(MaxMessageSize));
        Require(
            UserMetadata is null || UserMetadata.Length <= MaxMetadataLength,
            nameof(UserMetadata),
            $"have at most {MaxMetadataLength} characters"
        );
        Require(
            Enum.IsDefined(Status),
            nameof(Status),
            $"be one of {string.Join(", ", Enum.GetNames<EntityStatus>())}"
        );
        Require(
            !(RequiresSession && Kind == EntityKind.Topic),
            nameof(RequiresSession),
            "be false. Set it on the subscriptions instead"
        );
        Require(
            !(RequiresDuplicateDetection && Kind == EntityKind.Subscription),
            nameof(RequiresDuplicateDetection),
            "be false. Set it on the topic instead"
        );
        RequireRules(Rules ?? []);
        RequireKeys();
        RequireRange(AutoDeleteOnIdle, MinIdleTime, TimeSpan.MaxValue, nameof(AutoDeleteOnIdle));
        RequireForwarding();
        return this;
    }

    private void RequireName()
    {
        var name = Name;
        if (
            Kind == EntityKind.Subscription
            && TrySplit(Name, out name, out var subscription)
            && (subscription.Length > MaxSubscriptionNameLength || !EntityName.IsPart(subscription))
        )
        {
            throw new EntityException(
                EntityFailure.InvalidOption,
                $"'{Excerpt.Of(subscription)}' is not a valid subscription name. Use 1 to {MaxSubscriptionNameLength} of the characters "
                    + $"{EntityName.Characters}."
            );
        }

        if (name.Length > MaxNameLength || !EntityName.IsPath(name))
        {
            throw new EntityException(
                EntityFailure.InvalidOption,
                $"'{Excerpt.Of(name)}' is not a valid queue or topic name. Use 1 to {MaxNameLength} of the characters {EntityName.Characters} /, "
                    + "without empty segments and without a segment 'subscriptions'."
            );
        }
    }

    private void RequireRules(IReadOnlyList<RuleDescription> rules)
    {
        Require(rules.Count <= Subscription.MaxRules, nameof(Rules), $"contain at most {Subscription.MaxRules} rules");
        Require(
            rules.DistinctBy(rule => rule.Name, StringComparer.OrdinalIgnoreCase).Count() == rules.Count,
            nameof(Rules),
            "have unique names"
        );
    }

    private void RequireKeys()
    {
        string[] claims = ["Listen", "Send", "Manage"];
        var keys = AuthorizationRules ?? [];
        Require(keys.Count <= MaxKeys, nameof(AuthorizationRules), $"contain at most {MaxKeys} rules");
        Require(
            keys.DistinctBy(rule => rule.Name).Count() == keys.Count,
            nameof(AuthorizationRules),
            "have unique names"
        );
        Require(
            keys.All(rule => rule.Rights.Count > 0 && rule.Rights.All(claims.Contains)),
            nameof(AuthorizationRules),
            $"grant at least one of {string.Join(", ", claims)}"
        );
    }

    private void RequireRange<T>(T value, T min, T max, string option)
        where T : IComparable<T> =>
        Require(
            value.CompareTo(min) >= 0 && value.CompareTo(max) <= 0,
            option,
            max.Equals(TimeSpan.MaxValue) ? $"be at least {min}" : $"be from {min} to {max}, but is {value}"
        );

    private void Require(bool holds, string option, string demand)
    {
        if (!holds)
            throw new EntityException(EntityFailure.InvalidOption, $"{option} of {Noun} '{Name}' must {demand}.");
    }

    private string Noun =>
        Kind switch
        {
            EntityKind.Topic => "topic",
            EntityKind.Subscription => "subscription",
            _ => "queue",
        };

    private void RequireForwarding()
    {
        foreach (var (target, option) in ForwardingTargets)
        {
            Require(Kind != EntityKind.Topic, option, "not be set. Set it on the subscriptions instead");
            Require(!IsOwn(target), option, "refer to another entity");
        }
        Require(
            !(RequiresSession && ForwardTo is not null),
            nameof(ForwardTo),
            "not be set on an entity that requires sessions"
        );
    }

    internal IEnumerable<(string Target, string Option)> ForwardingTargets
    {
        get
        {
            if (ForwardTo is not null)
                yield return (ForwardTo, nameof(ForwardTo));
            if (ForwardDeadLetteredMessagesTo is not null)
                yield return (ForwardDeadLetteredMessagesTo, nameof(ForwardDeadLetteredMessagesTo));
        }
    }

    /// <summary>Detects a subscription that forwards to its own topic, which would be a loop.</summary>
    private bool IsOwn(string target)
    {
        TrySplit(Name, out var entity, out _);
        return entity.Equals(EntityAddress.PathOf(target), StringComparison.OrdinalIgnoreCase);
    }
}

/// <summary>The operations that an entity allows, named as in the management API.</summary>
public enum EntityStatus
{
    Active,
    Disabled,
    SendDisabled,
    ReceiveDisabled,
}
