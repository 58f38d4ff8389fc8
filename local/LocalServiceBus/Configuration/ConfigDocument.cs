using System.Text.Json;

namespace DroneDelivery.LocalServiceBus.Configuration;

internal sealed record ConfigDocument(UserConfig? UserConfig);

/// <param name="Logging">read by the official emulator only</param>
internal sealed record UserConfig(IReadOnlyList<NamespaceDeclaration>? Namespaces, JsonElement? Logging);

/// <param name="Name">free: clients never see it</param>
/// <param name="AuthorizationRules">not in the official emulator's files; null: the well-known rule alone</param>
internal sealed record NamespaceDeclaration(
    string? Name,
    IReadOnlyList<QueueDeclaration>? Queues,
    IReadOnlyList<TopicDeclaration>? Topics,
    IReadOnlyList<RuleDeclaration>? AuthorizationRules
);

/// <param name="Name">as SharedAccessKeyName of a connection string</param>
/// <param name="Key">as SharedAccessKey of a connection string</param>
/// <param name="Rights">Listen, Send, Manage</param>
internal sealed record RuleDeclaration(string? Name, string? Key, IReadOnlyList<string>? Rights);

internal sealed record TopicDeclaration(
    string? Name,
    Dictionary<string, JsonElement>? Properties,
    IReadOnlyList<SubscriptionDeclaration>? Subscriptions
);

/// <param name="Properties">null: as the service has them</param>
/// <param name="Rules">null or none: the one that lets every message through</param>
internal sealed record SubscriptionDeclaration(
    string? Name,
    Dictionary<string, JsonElement>? Properties,
    IReadOnlyList<SubscriptionRuleDeclaration>? Rules
);

internal sealed record QueueDeclaration(string? Name, Dictionary<string, JsonElement>? Properties);
