using System.Globalization;
using System.Reflection;
using System.Xml;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Configuration;

/// <summary>A property of <see cref="QueueOptions"/> with the same name in configuration files and in the management
/// API.</summary>
internal sealed record EntityProperty(string Name, params EntityKind[] Kinds)
{
    private const string MaxMessageSizeInKilobytes = nameof(MaxMessageSizeInKilobytes);

    private static readonly EntityKind[] Every = [EntityKind.Queue, EntityKind.Topic, EntityKind.Subscription],
        Sources = [EntityKind.Queue, EntityKind.Subscription],
        Targets = [EntityKind.Queue, EntityKind.Topic];

    public static IReadOnlyList<EntityProperty> All { get; } =
    [
        new(nameof(QueueOptions.LockDuration), Sources),
        new(nameof(QueueOptions.MaxSizeInMegabytes), Targets),
        new(nameof(QueueOptions.RequiresDuplicateDetection), Targets),
        new(nameof(QueueOptions.RequiresSession), Sources),
        new(nameof(QueueOptions.DefaultMessageTimeToLive), Every),
        new(nameof(QueueOptions.DeadLetteringOnMessageExpiration), Sources),
        new(nameof(QueueOptions.DeadLetteringOnFilterEvaluationExceptions), EntityKind.Subscription),
        new(nameof(QueueOptions.DuplicateDetectionHistoryTimeWindow), Targets),
        new(nameof(QueueOptions.MaxDeliveryCount), Sources),
        new(nameof(QueueOptions.EnableBatchedOperations), Every),
        new(nameof(QueueOptions.EnablePartitioning), Targets),
        new(nameof(QueueOptions.Status), Every),
        new(nameof(QueueOptions.ForwardTo), Sources),
        new(nameof(QueueOptions.ForwardDeadLetteredMessagesTo), Sources),
        new(nameof(QueueOptions.UserMetadata), Every),
        new(nameof(QueueOptions.AutoDeleteOnIdle), Every),
        new(MaxMessageSizeInKilobytes, Targets),
    ];

    public static EntityProperty? Find(string name, EntityKind kind) =>
        All.FirstOrDefault(property =>
            property.Name.Equals(name, StringComparison.OrdinalIgnoreCase) && property.Kinds.Contains(kind)
        );

    public object? Get(QueueOptions options) =>
        Name == MaxMessageSizeInKilobytes ? options.MaxMessageSize / 1024 : Option.GetValue(options);

    /// <param name="place">The path of the property, which an error message starts with.</param>
    public QueueOptions Apply(QueueOptions options, string text, string place)
    {
        try
        {
            if (Name == MaxMessageSizeInKilobytes)
                return options with { MaxMessageSize = checked(XmlConvert.ToInt64(text) * 1024) };
            var changed = options with { };
            Option.SetValue(changed, Parse(text));
            return changed;
        }
        catch (Exception error) when (error is FormatException or OverflowException)
        {
            throw new FormatException($"{place}: {error.Message}", error);
        }
    }

    private PropertyInfo Option => typeof(QueueOptions).GetProperty(Name)!;

    private object? Parse(string text)
    {
        var type = Option.PropertyType;
        if (type == typeof(TimeSpan))
            return Duration(text);
        if (type == typeof(bool))
            return XmlConvert.ToBoolean(text.ToLower(CultureInfo.InvariantCulture)); // Some SDKs write "True".
        if (type == typeof(int))
            return XmlConvert.ToInt32(text);
        if (type == typeof(long))
            return XmlConvert.ToInt64(text);
        if (type == typeof(EntityStatus))
            return Status(text);
        if (Name == nameof(QueueOptions.UserMetadata))
            return text;
        // The official emulator's sample file uses empty strings for absent forwarding targets.
        return string.IsNullOrWhiteSpace(text) ? null : text.Trim();
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

    private static EntityStatus Status(string text) =>
        Enum.TryParse<EntityStatus>(text, out var status) && Enum.IsDefined(status)
            ? status
            : throw new FormatException(
                $"'{Excerpt.Of(text)}' is not a valid status. Expected one of {string.Join(", ", Enum.GetNames<EntityStatus>())}."
            );
}
