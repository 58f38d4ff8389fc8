using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Entities.Rules;

namespace DroneDelivery.LocalServiceBus.Configuration;

/// <summary>The configuration file, in the format of the official emulator's Config.json: <c>UserConfig / Namespaces[]
/// / Queues[] / { Name, Properties }</c> and <c>Topics[] / { Name, Properties, Subscriptions[] }</c>, with ISO 8601
/// durations (<c>PT30S</c>).</summary>
/// <param name="Entities">Queues and topics, each topic before its subscriptions.</param>
/// <param name="Ignored">The paths of unsupported properties.</param>
internal sealed record ConfigFile(
    IReadOnlyList<QueueOptions> Entities,
    IReadOnlyList<AccessRule> Rules,
    IReadOnlyList<string> Ignored
)
{
    private const string Namespace = "UserConfig.Namespaces[0]";

    private static readonly JsonSerializerOptions Json = new()
    {
        PropertyNameCaseInsensitive = true,
        ReadCommentHandling = JsonCommentHandling.Skip,
        AllowTrailingCommas = true,
        Converters = { new RuleValueConverter() },
    };

    /// <exception cref="BrokerStartException">The file can't be read or is invalid. The message contains the
    /// path.</exception>
    public static ConfigFile Load(string? path)
    {
        if (path is null)
            return new([], RuleDeclarations.None, []);
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

    /// <exception cref="FormatException">The configuration is invalid. The message starts with the property's
    /// path.</exception>
    internal static ConfigFile Parse(ReadOnlySpan<byte> json)
    {
        var ignored = new List<string>();
        if (Document(json, ignored).Namespaces is not [var declared])
            throw At("UserConfig.Namespaces", "must contain exactly one namespace");
        return new(
            EntitiesOf(declared, ignored),
            RuleDeclarations.Read(declared.AuthorizationRules, $"{Namespace}.AuthorizationRules"),
            ignored
        );
    }

    private static UserConfig Document(ReadOnlySpan<byte> json, List<string> ignored)
    {
        try
        {
            // Some versions of the official emulator's sample file start with a byte order mark.
            var text = json.StartsWith("\uFEFF"u8) ? json[3..] : json;
            var config = JsonSerializer.Deserialize<ConfigDocument>(text, Json)?.UserConfig
                ?? throw At("UserConfig", "is missing");
            var document = JsonSerializer.Deserialize<JsonElement>(text, Json);
            ignored.AddRange(UnknownMembers(document, typeof(ConfigDocument), ""));
            return config;
        }
        catch (JsonException error)
        {
            throw new FormatException($"{error.Path?.TrimStart('$', '.')}: {Reason(error)}", error);
        }
    }

    private static IEnumerable<string> UnknownMembers(JsonElement element, Type type, string path)
    {
        var known = Json.GetTypeInfo(type);
        return (known.Kind, element.ValueKind) switch
        {
            (JsonTypeInfoKind.Object, JsonValueKind.Object) => element.EnumerateObject().SelectMany(OfMember),
            (JsonTypeInfoKind.Enumerable, JsonValueKind.Array) => element
                .EnumerateArray()
                .SelectMany((item, index) => UnknownMembers(item, known.ElementType!, $"{path}[{index}]")),
            _ => [],
        };

        IEnumerable<string> OfMember(JsonProperty member)
        {
            var place = path.Length == 0 ? member.Name : $"{path}.{member.Name}";
            var property = known.Properties.FirstOrDefault(property =>
                property.Name.Equals(member.Name, StringComparison.OrdinalIgnoreCase)
            );
            return property is null ? [place] : UnknownMembers(member.Value, property.PropertyType, place);
        }
    }

    private static List<QueueOptions> EntitiesOf(NamespaceDeclaration declared, List<string> ignored)
    {
        var entities = new List<QueueOptions>();
        foreach (var (index, queue) in (declared.Queues ?? []).Index())
            Add($"{Namespace}.Queues[{index}]", queue.Name, queue.Properties, name => new QueueOptions(name));
        foreach (var (index, topic) in (declared.Topics ?? []).Index())
            AddTopic($"{Namespace}.Topics[{index}]", topic);
        return entities;

        void AddTopic(string path, TopicDeclaration topic)
        {
            Add(path, topic.Name, topic.Properties, name => new QueueOptions(name) { Kind = EntityKind.Topic });
            foreach (var (index, subscription) in (topic.Subscriptions ?? []).Index())
            {
                var place = $"{path}.Subscriptions[{index}]";
                Add(place, subscription.Name, subscription.Properties, name =>
                    WithRules(QueueOptions.OfSubscription(topic.Name!, name), subscription.Rules ?? [], place)
                );
            }
        }

        void Add(
            string path,
            string? name,
            Dictionary<string, JsonElement>? properties,
            Func<string, QueueOptions> defaults
        )
        {
            var options = defaults(name ?? throw At($"{path}.Name", "is missing"));
            options = Options(path, options, properties ?? [], ignored);
            if (entities.Any(other => other.Name.Equals(options.Name, StringComparison.OrdinalIgnoreCase)))
                throw At($"{path}.Name", $"'{name}' is declared twice");
            entities.Add(options);
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

    private static QueueOptions Options(
        string path,
        QueueOptions options,
        Dictionary<string, JsonElement> properties,
        List<string> ignored
    )
    {
        foreach (var (name, value) in properties)
        {
            var place = $"{path}.Properties.{name}";
            if (EntityProperty.Find(name, options.Kind) is { } property)
                options = property.Apply(options, value.ToString(), place);
            else
                ignored.Add(place);
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

    private static string Reason(JsonException error)
    {
        var end = error.Message.IndexOf(" Path: ", StringComparison.Ordinal);
        return $"{(end < 0 ? error.Message : error.Message[..end])} (line {error.LineNumber + 1})";
    }

    private static FormatException At(string path, string fault) => new($"{path}: {fault}.");
}
