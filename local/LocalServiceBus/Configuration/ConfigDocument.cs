using System.Text.Json;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Configuration;

internal sealed record ConfigDocument(UserConfig? UserConfig);

/// <param name="Namespaces">exactly one</param>
/// <param name="Logging">read by the official emulator only</param>
internal sealed record UserConfig(IReadOnlyList<NamespaceDeclaration>? Namespaces, JsonElement? Logging);

/// <param name="Name">free: clients never see it</param>
/// <param name="Queues">null: none</param>
/// <param name="Topics">null: none</param>
/// <param name="AuthorizationRules">not in the official emulator's files; null: the well-known rule alone</param>
internal sealed record NamespaceDeclaration(
    string? Name,
    IReadOnlyList<QueueDeclaration>? Queues,
    IReadOnlyList<TopicDeclaration>? Topics,
    IReadOnlyList<RuleDeclaration>? AuthorizationRules);

/// <param name="Name">as SharedAccessKeyName of a connection string</param>
/// <param name="Key">as SharedAccessKey of a connection string</param>
/// <param name="Rights">Listen, Send, Manage</param>
internal sealed record RuleDeclaration(string? Name, string? Key, IReadOnlyList<string>? Rights);

internal sealed record TopicDeclaration(
    string? Name, QueueProperties? Properties, IReadOnlyList<SubscriptionDeclaration>? Subscriptions);

/// <param name="Name">within the topic</param>
/// <param name="Properties">null: as the service has them</param>
/// <param name="Rules">null or none: the one that lets every message through</param>
internal sealed record SubscriptionDeclaration(
    string? Name, QueueProperties? Properties, IReadOnlyList<SubscriptionRuleDeclaration>? Rules);

internal sealed record QueueDeclaration(string? Name, QueueProperties? Properties);

/// <summary>What the file says of one queue; what it leaves out is as <see cref="QueueOptions"/> has it.</summary>
internal sealed record QueueProperties
{
    public bool? DeadLetteringOnMessageExpiration { get; init; }
    public TimeSpan? DefaultMessageTimeToLive { get; init; }
    public TimeSpan? DuplicateDetectionHistoryTimeWindow { get; init; }
    public string? ForwardDeadLetteredMessagesTo { get; init; }
    public string? ForwardTo { get; init; }
    public TimeSpan? LockDuration { get; init; }
    public int? MaxDeliveryCount { get; init; }
    public bool? RequiresDuplicateDetection { get; init; }
    public bool? RequiresSession { get; init; }

    /// <param name="options">what holds where the file says nothing</param>
    public QueueOptions ToOptions(QueueOptions options) => options with
    {
        DeadLetteringOnMessageExpiration = DeadLetteringOnMessageExpiration ?? options.DeadLetteringOnMessageExpiration,
        DefaultMessageTimeToLive = DefaultMessageTimeToLive ?? options.DefaultMessageTimeToLive,
        DuplicateDetectionHistoryTimeWindow = DuplicateDetectionHistoryTimeWindow ?? options.DuplicateDetectionHistoryTimeWindow,
        // The official emulator's sample file has them empty.
        ForwardDeadLetteredMessagesTo = string.IsNullOrEmpty(ForwardDeadLetteredMessagesTo) ? null : ForwardDeadLetteredMessagesTo,
        ForwardTo = string.IsNullOrEmpty(ForwardTo) ? null : ForwardTo,
        LockDuration = LockDuration ?? options.LockDuration,
        MaxDeliveryCount = MaxDeliveryCount ?? options.MaxDeliveryCount,
        RequiresDuplicateDetection = RequiresDuplicateDetection ?? options.RequiresDuplicateDetection,
        RequiresSession = RequiresSession ?? options.RequiresSession,
    };
}
