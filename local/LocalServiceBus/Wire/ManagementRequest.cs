using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A request to <c>$management</c>: an operation and a map of arguments.</summary>
internal sealed class ManagementRequest(AmqpMessage message)
    : Arguments(message.Value as Dictionary<object, object?> ?? [])
{
    // All operations have it.
    private const string Prefix = "com.microsoft:";

    /// <summary>Without the prefix; empty: none is given, or none of the service's.</summary>
    public string Operation { get; } =
        message.ApplicationProperties?.GetValueOrDefault("operation") is string name
        && name.StartsWith(Prefix, StringComparison.Ordinal)
            ? name[Prefix.Length..]
            : "";

    /// <summary>The link that the request is about; null: the client does not say.</summary>
    public string? Link { get; } = message.ApplicationProperties?.GetValueOrDefault("associated-link-name") as string;
}

/// <summary>A map of values by name.</summary>
internal class Arguments(Dictionary<object, object?> map)
{
    /// <summary>Messages, lock tokens or sequence numbers that one request may name.</summary>
    public const int MostNamed = 4000;

    /// <exception cref="AmqpException">The argument is missing or of another type.</exception>
    public T Get<T>(string name) => map.GetValueOrDefault(name) is T value ? value : throw Bad(name, typeof(T));

    /// <exception cref="AmqpException">The argument is of another type.</exception>
    public T? GetOrDefault<T>(string name) =>
        map.GetValueOrDefault(name) switch
        {
            null => default,
            T value => value,
            _ => throw Bad(name, typeof(T)),
        };

    /// <summary>A map in this one; null: there is none.</summary>
    /// <exception cref="AmqpException">The argument is of another type.</exception>
    public Arguments? Map(string name) =>
        GetOrDefault<Dictionary<object, object?>>(name) is { } inner ? new(inner) : null;

    /// <summary>An AMQP array; some clients send a list.</summary>
    /// <exception cref="AmqpException">The argument is missing or not of these values.</exception>
    public IReadOnlyList<T> GetArray<T>(string name) =>
        map.GetValueOrDefault(name) switch
        {
            System.Collections.ICollection { Count: > MostNamed } => throw TooMany(name),
            T[] array => array,
            List<object?> list when list.All(item => item is T) => [.. list.Cast<T>()],
            _ => throw Bad(name, typeof(T[])),
        };

    /// <exception cref="AmqpException">The argument is not a map with names for keys, each of them once.</exception>
    public Dictionary<string, object?>? GetProperties(string name)
    {
        if (GetOrDefault<Dictionary<object, object?>>(name) is not { } given)
            return null;
        var properties = new Dictionary<string, object?>();
        foreach (var (key, value) in given)
        {
            // To AMQP a string and a symbol of the same letters are two keys.
            var property = key as string ?? (key as Symbol?)?.Value;
            if (property is null || !properties.TryAdd(property, DescribedProperty.FromAmqp(value)))
                throw Bad(name, typeof(Dictionary<string, object?>));
        }
        return properties;
    }

    private static AmqpException TooMany(string name) =>
        new(
            new AmqpError(
                ServiceBusErrors.ArgumentError,
                $"The argument '{name}' must have at most {MostNamed} items: ask for the others in further requests."
            )
        );

    public static AmqpException Bad(string name, Type type) =>
        new(new AmqpError(ServiceBusErrors.ArgumentError, $"The argument '{name}' must be given as {type.Name}."));
}
