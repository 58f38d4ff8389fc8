using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Configuration;

/// <summary>
/// What a broker starts with. The file has the format of the official emulator's Config.json:
/// <c>UserConfig / Namespaces[] / Queues[] / { Name, Properties }</c> and <c>Topics[] / { Name, Properties, Subscriptions[] }</c>,
/// durations in ISO 8601 (<c>PT30S</c>).
/// </summary>
/// <param name="Entities">Queues, topics, and subscriptions behind their topics.</param>
/// <param name="Rules">Without any, the well-known one.</param>
internal sealed record ConfigFile(IReadOnlyList<QueueOptions> Entities, IReadOnlyList<AccessRule> Rules)
{
    private const string Namespace = "UserConfig.Namespaces[0]";

    private static readonly JsonSerializerOptions Json = new()
    {
        PropertyNameCaseInsensitive = true,
        ReadCommentHandling = JsonCommentHandling.Skip,
        AllowTrailingCommas = true,
        // A misspelt property would otherwise leave a default in force, and nobody would know.
        UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
        Converters = { new RuleValueConverter() },
    };

    /// <param name="path">null: nothing is declared</param>
    /// <exception cref="BrokerStartException">The file cannot be read or is not of the format; the message has the path in it.</exception>
    public static ConfigFile Load(string? path)
    {
        if (path is null)
            return new([], RuleDeclarations.None);
        try
        {
            return Parse(File.ReadAllBytes(path));
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new BrokerStartException(
                $"{LocalServiceBusOptions.Section}:ConfigFile (--config): {error.Message}",
                error
            );
        }
        catch (FormatException error)
        {
            throw new BrokerStartException($"{path}: {error.Message}", error);
        }
    }

    /// <exception cref="FormatException">The message starts with the path of the faulty property.</exception>
    internal static ConfigFile Parse(ReadOnlySpan<byte> json)
    {
        if (Document(json).Namespaces is not [var declared])
            throw At("UserConfig.Namespaces", "must hold exactly one namespace");
        return new(
            EntitiesOf(declared),
            RuleDeclarations.Read(declared.AuthorizationRules, $"{Namespace}.AuthorizationRules")
        );
    }

    private static UserConfig Document(ReadOnlySpan<byte> json)
    {
        try
        {
            // The official emulator's own sample file starts with a byte order mark in some editions.
            var text = json.StartsWith("\uFEFF"u8) ? json[3..] : json;
            return JsonSerializer.Deserialize<ConfigDocument>(text, Json)?.UserConfig
                ?? throw At("UserConfig", "is missing");
        }
        catch (JsonException error)
        {
            throw new FormatException($"{error.Path?.TrimStart('$', '.')}: {Reason(error)}", error);
        }
    }

    private static List<QueueOptions> EntitiesOf(NamespaceDeclaration declared)
    {
        var entities = new List<QueueOptions>();
        foreach (var (index, queue) in (declared.Queues ?? []).Index())
            Add(entities, $"{Namespace}.Queues[{index}]", queue.Name, queue.Properties, name => new QueueOptions(name));
        foreach (var (index, topic) in (declared.Topics ?? []).Index())
            AddTopic(entities, $"{Namespace}.Topics[{index}]", topic);
        return entities;
    }

    private static void AddTopic(List<QueueOptions> entities, string path, TopicDeclaration topic)
    {
        Add(entities, path, topic.Name, topic.Properties, name => new QueueOptions(name) { Kind = EntityKind.Topic });
        foreach (var (index, subscription) in (topic.Subscriptions ?? []).Index())
        {
            var place = $"{path}.Subscriptions[{index}]";
            Add(entities, place, subscription.Name, subscription.Properties, name =>
                WithRules(QueueOptions.OfSubscription(topic.Name!, name), subscription.Rules ?? [], place)
            );
        }
    }

    private static QueueOptions WithRules(
        QueueOptions options,
        IReadOnlyList<SubscriptionRuleDeclaration> rules,
        string path
    )
    {
        var descriptions = new List<RuleDescription>();
        foreach (var (index, rule) in rules.Index())
        {
            try
            {
                descriptions.Add(new Rule(rule.ToDescription()).Description);
            }
            catch (Exception error) when (error is FormatException or EntityException)
            {
                throw new FormatException(
                    $"{path}.Rules[{index}]{(error is FormatException ? "." : ": ")}{error.Message}",
                    error
                );
            }
        }
        return descriptions.Count == 0 ? options : options with { Rules = descriptions };
    }

    private static void Add(
        List<QueueOptions> entities,
        string path,
        string? name,
        Dictionary<string, JsonElement>? properties,
        Func<string, QueueOptions> defaults
    )
    {
        var options = Options(path, defaults(name ?? throw At($"{path}.Name", "is missing")), properties ?? []);
        if (entities.Any(other => other.Name.Equals(options.Name, StringComparison.OrdinalIgnoreCase)))
            throw At($"{path}.Name", $"'{name}' is declared twice");
        entities.Add(options);
    }

    private static QueueOptions Options(string path, QueueOptions options, Dictionary<string, JsonElement> properties)
    {
        foreach (var (name, value) in properties)
        {
            var place = $"{path}.Properties.{name}";
            var property = EntityProperty.Find(name, options.Kind)
                ?? throw At(place, $"is no property of a {options.Kind}");
            options = property.Apply(options, value.ToString(), place);
        }
        try
        {
            return options.Validate();
        }
        catch (EntityException error)
        {
            throw new FormatException($"{path}: {error.Message}", error);
        }
    }

    // The serializer appends its own path, line and position; the path comes first here.
    private static string Reason(JsonException error)
    {
        var end = error.Message.IndexOf(" Path: ", StringComparison.Ordinal);
        return $"{(end < 0 ? error.Message : error.Message[..end])} (line {error.LineNumber + 1})";
    }

    private static FormatException At(string path, string fault) => new($"{path}: {fault}.");
}
