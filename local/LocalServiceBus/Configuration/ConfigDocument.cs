using System.Text.Json;

namespace DroneDelivery.LocalServiceBus.Configuration;

internal sealed record ConfigDocument(UserConfig? UserConfig);

/// <param name="Logging">Ignored. The official emulator reads it.</param>
internal sealed record UserConfig(IReadOnlyList<NamespaceDeclaration>? Namespaces, JsonElement? Logging);

/// <param name="AuthorizationRules">The shared access rules; <c>null</c> for the well-known rule only. The official
/// emulator doesn't support this property.</param>
internal sealed record NamespaceDeclaration(
    string? Name,
    IReadOnlyList<QueueDeclaration>? Queues,
    IReadOnlyList<TopicDeclaration>? Topics,
    IReadOnlyList<RuleDeclaration>? AuthorizationRules
);

internal sealed record RuleDeclaration(string? Name, string? Key, IReadOnlyList<string>? Rights);

internal sealed record TopicDeclaration(
    string? Name,
    Dictionary<string, JsonElement>? Properties,
    IReadOnlyList<SubscriptionDeclaration>? Subscriptions
);

/// <param name="Rules"><c>null</c> or empty for a rule that accepts every message.</param>
internal sealed record SubscriptionDeclaration(
    string? Name,
    Dictionary<string, JsonElement>? Properties,
    IReadOnlyList<SubscriptionRuleDeclaration>? Rules
);

internal sealed record QueueDeclaration(string? Name, Dictionary<string, JsonElement>? Properties);
