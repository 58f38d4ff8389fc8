using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Entities;

public enum EntityKind
{
    Queue,

    /// <summary>See <see cref="Entities.Topic"/>.</summary>
    Topic,

    /// <summary>See <see cref="Entities.Subscription"/>.</summary>
    Subscription,
}

/// <summary>The description of a queue, or of the queue that a topic or a subscription has. Defaults are those of the service, and so are
/// the bounds unless a property says otherwise.</summary>
public sealed record QueueOptions(string Name)
{
    private const int LongestName = 260,
        LongestSubscriptionName = 50,
        LongestMetadata = 1024,
        MostKeys = 12;
    private const string BeforeSubscription = "/Subscriptions/";

    private static readonly (TimeSpan Least, TimeSpan Most) LockDurations = (
        TimeSpan.FromMilliseconds(5),
        TimeSpan.FromMinutes(5)
    );
    private static readonly (TimeSpan Least, TimeSpan Most) DuplicateWindows = (
        TimeSpan.FromSeconds(5),
        TimeSpan.FromDays(7)
    );
    private static readonly TimeSpan ShortestTimeToLive = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan ShortestIdleTime = TimeSpan.FromMinutes(5);

    /// <summary>How long a peek-locked message stays with its receiver: 5 ms to 5 min. The service allows 5 s to 5 min; the lower bound
    /// is a thousandth of that here, because a lab that runs in short time needs locks that are short by the same factor.</summary>
    public TimeSpan LockDuration { get; init; } = TimeSpan.FromMinutes(1);

    /// <summary>A message whose delivery has failed this many times goes to the dead-letter queue: 1 or more, where the service
    /// has 2000 at most.</summary>
    public int MaxDeliveryCount { get; init; } = 10;

    /// <summary>Upper limit of every message's own time to live: 1 s or more.</summary>
    public TimeSpan DefaultMessageTimeToLive { get; init; } = TimeSpan.MaxValue;

    /// <summary>Whether expired messages go to the dead-letter queue instead of being dropped.</summary>
    public bool DeadLetteringOnMessageExpiration { get; init; }

    public bool RequiresDuplicateDetection { get; init; }

    /// <summary>How long message ids are remembered: 5 s to 7 days. The service allows 20 s to 7 days, the schema of the official
    /// emulator's configuration 5 s.</summary>
    public TimeSpan DuplicateDetectionHistoryTimeWindow { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>What the queue's messages may take together: 1 MB to 80 GB. The service's smallest queue has 1 GB.</summary>
    public long MaxSizeInMegabytes { get; init; } = 1024;

    /// <summary>Largest message or batch that is accepted, in bytes as encoded on the wire: 1 KB to 100 MB.</summary>
    public long MaxMessageSize { get; init; } = 256 * 1024;

    public EntityStatus Status { get; init; } = EntityStatus.Active;

    public EntityKind Kind { get; init; }

    /// <summary>A topic does not know which of its subscriptions will need them.</summary>
    internal bool ReadsSessions => RequiresSession || Kind == EntityKind.Topic;

    /// <summary>Of a subscription: whether messages for which a rule fails, and which no other lets through, become its dead
    /// letters.</summary>
    public bool DeadLetteringOnFilterEvaluationExceptions { get; init; } = true;

    /// <summary>Of a subscription.</summary>
    public IReadOnlyList<RuleDescription>? Rules { get; init; }

    /// <summary>Kept and returned, without effect: here a queue or topic has one partition.</summary>
    public bool EnablePartitioning { get; init; }

    /// <summary>Kept and told, and without effect: here it is done in any case.</summary>
    public bool EnableBatchedOperations { get; init; } = true;

    /// <summary>Free text of at most 1024 characters.</summary>
    public string? UserMetadata { get; init; }

    /// <summary>Name, or address, of the queue or topic that gets every message; null: receivers get them. See
    /// <see cref="Forwarding"/>.</summary>
    public string? ForwardTo { get; init; }

    /// <summary>The same of dead letters.</summary>
    public string? ForwardDeadLetteredMessagesTo { get; init; }

    /// <summary>After so long without use the entity is deleted: 5 min or more. See <see cref="IdleEntities"/>.</summary>
    public TimeSpan AutoDeleteOnIdle { get; init; } = TimeSpan.MaxValue;

    /// <summary>Keys of a queue or topic, in addition to those of the namespace.</summary>
    public IReadOnlyList<EntityKeys>? AuthorizationRules { get; init; }

    /// <summary>Whether every message belongs to a session, which one receiver has at a time.</summary>
    public bool RequiresSession { get; init; }

    /// <summary>Those of a subscription, with the rule that lets every message through.</summary>
    public static QueueOptions OfSubscription(string topic, string name) =>
        new($"{topic}{BeforeSubscription}{name}")
        {
            Kind = EntityKind.Subscription,
            Rules = [new RuleDescription(RuleDescription.DefaultName)],
        };

    /// <summary>The name is a topic's and a subscription's.</summary>
    internal static bool TrySplit(string path, out string topic, out string subscription)
    {
        var at = path.IndexOf(BeforeSubscription, StringComparison.OrdinalIgnoreCase);
        (topic, subscription) = at < 0 ? (path, "") : (path[..at], path[(at + BeforeSubscription.Length)..]);
        return at >= 0;
    }

    /// <exception cref="EntityException">An option is out of range, or needs what this broker does not have.</exception>
    internal QueueOptions Validate()
    {
        RequireName();
        RequireRange(LockDuration, LockDurations.Least, LockDurations.Most, nameof(LockDuration));
        RequireRange(DefaultMessageTimeToLive, ShortestTimeToLive, TimeSpan.MaxValue, nameof(DefaultMessageTimeToLive));
        var window = DuplicateDetectionHistoryTimeWindow;
        RequireRange(
            window,
            DuplicateWindows.Least,
            DuplicateWindows.Most,
            nameof(DuplicateDetectionHistoryTimeWindow)
        );
        RequireRange(MaxDeliveryCount, 1, int.MaxValue, nameof(MaxDeliveryCount));
        RequireRange(MaxSizeInMegabytes, 1, 80 * 1024, nameof(MaxSizeInMegabytes));
        RequireRange(MaxMessageSize, 1024, 100 * 1024 * 1024, nameof(MaxMessageSize));
        Require(
            UserMetadata is null || UserMetadata.Length <= LongestMetadata,
            nameof(UserMetadata),
            $"have at most {LongestMetadata} characters"
        );
        Require(
            Enum.IsDefined(Status),
            nameof(Status),
            $"be one of {string.Join(", ", Enum.GetNames<EntityStatus>())}"
        );
        Require(
            !(RequiresSession && Kind == EntityKind.Topic),
            nameof(RequiresSession),
            "be false: its subscriptions may have sessions"
        );
        Require(
            !(RequiresDuplicateDetection && Kind == EntityKind.Subscription),
            nameof(RequiresDuplicateDetection),
            "be false: its topic may detect duplicates"
        );
        RequireRules(Rules ?? []);
        RequireKeys();
        RequireRange(AutoDeleteOnIdle, ShortestIdleTime, TimeSpan.MaxValue, nameof(AutoDeleteOnIdle));
        RequireForwarding();
        return this;
    }

    private void RequireName()
    {
        var name = Name;
        if (
            Kind == EntityKind.Subscription
            && TrySplit(Name, out name, out var subscription)
            && (subscription.Length > LongestSubscriptionName || !EntityName.IsPart(subscription))
        )
        {
            throw new EntityException(
                EntityFailure.InvalidOption,
                $"'{Excerpt.Of(subscription)}' cannot name a subscription: use 1 to {LongestSubscriptionName} of the characters "
                    + $"{EntityName.Characters}."
            );
        }

        if (name.Length > LongestName || !EntityName.IsPath(name))
        {
            throw new EntityException(
                EntityFailure.InvalidOption,
                $"'{Excerpt.Of(name)}' cannot name a queue or topic: use 1 to {LongestName} of the characters {EntityName.Characters} /, "
                    + "with no empty part between slashes and no part 'subscriptions'."
            );
        }
    }

    private void RequireRules(IReadOnlyList<RuleDescription> rules)
    {
        Require(rules.Count <= Subscription.MostRules, nameof(Rules), $"be at most {Subscription.MostRules}");
        Require(
            rules.DistinctBy(rule => rule.Name, StringComparer.OrdinalIgnoreCase).Count() == rules.Count,
            nameof(Rules),
            "have names of their own"
        );
    }

    private void RequireKeys()
    {
        string[] claims = ["Listen", "Send", "Manage"];
        var keys = AuthorizationRules ?? [];
        Require(keys.Count <= MostKeys, nameof(AuthorizationRules), $"be at most {MostKeys}");
        Require(
            keys.DistinctBy(rule => rule.Name).Count() == keys.Count,
            nameof(AuthorizationRules),
            "have names of their own"
        );
        Require(
            keys.All(rule => rule.Rights.Count > 0 && rule.Rights.All(claims.Contains)),
            nameof(AuthorizationRules),
            $"have at least one of {string.Join(", ", claims)}"
        );
    }

    private void RequireRange<T>(T value, T least, T most, string option)
        where T : IComparable<T> =>
        Require(
            value.CompareTo(least) >= 0 && value.CompareTo(most) <= 0,
            option,
            most.Equals(TimeSpan.MaxValue) ? $"be at least {least}" : $"be {least} to {most}, and is {value}"
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
            Require(Kind != EntityKind.Topic, option, "be absent: its subscriptions may forward");
            Require(!IsOwn(target), option, "name another entity");
        }
        Require(
            !(RequiresSession && ForwardTo is not null),
            nameof(ForwardTo),
            "be absent, because it requires sessions"
        );
    }

    /// <summary>Where messages and dead letters go, with the name of the option that says so.</summary>
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

    /// <summary>A subscription would get each message of its topic again.</summary>
    private bool IsOwn(string target)
    {
        TrySplit(Name, out var entity, out _);
        return entity.Equals(EntityAddress.PathOf(target), StringComparison.OrdinalIgnoreCase);
    }
}

/// <summary>What an entity lets clients do. The names are those of the management API.</summary>
public enum EntityStatus
{
    Active,
    Disabled,
    SendDisabled,
    ReceiveDisabled,
}
