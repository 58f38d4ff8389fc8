using System.Globalization;
using System.Xml;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Configuration;

/// <summary>What can be said of an entity, under the name that configuration files and the management API have for it.</summary>
/// <param name="Kinds">of which entities</param>
/// <param name="Get">null: nothing is to be told</param>
/// <param name="Set">changes the options as a text says</param>
internal sealed record EntityProperty(
    string Name,
    EntityKind[] Kinds,
    Func<QueueOptions, object?> Get,
    Func<QueueOptions, string, QueueOptions> Set
)
{
    private static readonly EntityKind[] Every = [EntityKind.Queue, EntityKind.Topic, EntityKind.Subscription],
        Sources = [EntityKind.Queue, EntityKind.Subscription],
        Targets = [EntityKind.Queue, EntityKind.Topic];

    public static IReadOnlyList<EntityProperty> All { get; } =
    [
        new("LockDuration", Sources, it => it.LockDuration, (it, text) => it with { LockDuration = Duration(text) }),
        new(
            "MaxSizeInMegabytes",
            Targets,
            it => it.MaxSizeInMegabytes,
            (it, text) => it with { MaxSizeInMegabytes = XmlConvert.ToInt64(text) }
        ),
        new(
            "RequiresDuplicateDetection",
            Targets,
            it => it.RequiresDuplicateDetection,
            (it, text) => it with { RequiresDuplicateDetection = Flag(text) }
        ),
        new(
            "RequiresSession",
            Sources,
            it => it.RequiresSession,
            (it, text) => it with { RequiresSession = Flag(text) }
        ),
        new(
            "DefaultMessageTimeToLive",
            Every,
            it => it.DefaultMessageTimeToLive,
            (it, text) => it with { DefaultMessageTimeToLive = Duration(text) }
        ),
        new(
            "DeadLetteringOnMessageExpiration",
            Sources,
            it => it.DeadLetteringOnMessageExpiration,
            (it, text) => it with { DeadLetteringOnMessageExpiration = Flag(text) }
        ),
        new(
            "DeadLetteringOnFilterEvaluationExceptions",
            [EntityKind.Subscription],
            it => it.DeadLetteringOnFilterEvaluationExceptions,
            (it, text) => it with { DeadLetteringOnFilterEvaluationExceptions = Flag(text) }
        ),
        new(
            "DuplicateDetectionHistoryTimeWindow",
            Targets,
            it => it.DuplicateDetectionHistoryTimeWindow,
            (it, text) => it with { DuplicateDetectionHistoryTimeWindow = Duration(text) }
        ),
        new(
            "MaxDeliveryCount",
            Sources,
            it => it.MaxDeliveryCount,
            (it, text) => it with { MaxDeliveryCount = XmlConvert.ToInt32(text) }
        ),
        new(
            "EnableBatchedOperations",
            Every,
            it => it.EnableBatchedOperations,
            (it, text) => it with { EnableBatchedOperations = Flag(text) }
        ),
        new(
            "EnablePartitioning",
            Targets,
            it => it.EnablePartitioning,
            (it, text) => it with { EnablePartitioning = Flag(text) }
        ),
        new("Status", Every, it => it.Status, (it, text) => it with { Status = Status(text) }),
        new("ForwardTo", Sources, it => it.ForwardTo, (it, text) => it with { ForwardTo = Target(text) }),
        new(
            "ForwardDeadLetteredMessagesTo",
            Sources,
            it => it.ForwardDeadLetteredMessagesTo,
            (it, text) => it with { ForwardDeadLetteredMessagesTo = Target(text) }
        ),
        new("UserMetadata", Every, it => it.UserMetadata, (it, text) => it with { UserMetadata = text }),
        new(
            "AutoDeleteOnIdle",
            Every,
            it => it.AutoDeleteOnIdle,
            (it, text) => it with { AutoDeleteOnIdle = Duration(text) }
        ),
        new(
            "MaxMessageSizeInKilobytes",
            Targets,
            it => it.MaxMessageSize / 1024,
            (it, text) => it with { MaxMessageSize = checked(XmlConvert.ToInt64(text) * 1024) }
        ),
    ];

    /// <returns>Null: entities of this kind have no property of that name.</returns>
    public static EntityProperty? Find(string name, EntityKind kind) =>
        All.FirstOrDefault(property =>
            property.Name.Equals(name, StringComparison.OrdinalIgnoreCase) && property.Kinds.Contains(kind)
        );

    /// <exception cref="FormatException">The text is no value of it. The message begins with the place where it is written.</exception>
    public QueueOptions Apply(QueueOptions options, string text, string place)
    {
        try
        {
            return Set(options, text);
        }
        catch (Exception error) when (error is FormatException or OverflowException)
        {
            throw new FormatException($"{place}: {error.Message}", error);
        }
    }

    private static TimeSpan Duration(string text)
    {
        try
        {
            return XmlConvert.ToTimeSpan(text);
        }
        catch (Exception error) when (error is FormatException or OverflowException)
        {
            throw new FormatException(
                $"'{Excerpt.Of(text)}' is not an ISO 8601 duration such as PT30S or P14D.",
                error
            );
        }
    }

    // Some SDKs write true, others True.
    private static bool Flag(string text) => XmlConvert.ToBoolean(text.ToLower(CultureInfo.InvariantCulture));

    // The official emulator's sample file has empty ones.
    private static string? Target(string text) => text.Trim() is { Length: > 0 } target ? target : null;

    private static EntityStatus Status(string text) =>
        Enum.TryParse<EntityStatus>(text, out var status) && Enum.IsDefined(status)
            ? status
            : throw new FormatException(
                $"'{Excerpt.Of(text)}' is none of {string.Join(", ", Enum.GetNames<EntityStatus>())}."
            );
}
