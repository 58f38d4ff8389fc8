using DroneDelivery.Amqp;

namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A request to <c>$management</c>: an operation and a map of arguments.</summary>
internal sealed class ManagementRequest(AmqpMessage message)
    : Arguments(message.Value as Dictionary<object, object?> ?? [])
{
    private const string Prefix = "com.microsoft:";

    /// <summary>The operation without the prefix; empty if it's absent or has another prefix.</summary>
    public string Operation { get; } =
        message.ApplicationProperties?.GetValueOrDefault("operation") is string name
        && name.StartsWith(Prefix, StringComparison.Ordinal)
            ? name[Prefix.Length..]
            : "";

    /// <summary>The link that the request refers to; <c>null</c> if the client doesn't specify it.</summary>
    public string? Link { get; } = message.ApplicationProperties?.GetValueOrDefault("associated-link-name") as string;
}

internal class Arguments(Dictionary<object, object?> map)
{
    /// <summary>The maximum number of messages, lock tokens, or sequence numbers per request.</summary>
    public const int MaxItems = 4000;

    public T Get<T>(string name) => map.GetValueOrDefault(name) is T value ? value : throw Bad(name, typeof(T));

    public T? GetOrDefault<T>(string name) =>
        map.GetValueOrDefault(name) switch
        {
            null => default,
            T value => value,
            _ => throw Bad(name, typeof(T)),
        };

    public Arguments? Map(string name) =>
        GetOrDefault<Dictionary<object, object?>>(name) is { } inner ? new(inner) : null;

    /// <summary>Gets an AMQP array. Some clients send a list.</summary>
    public IReadOnlyList<T> GetArray<T>(string name) =>
        map.GetValueOrDefault(name) switch
        {
            System.Collections.ICollection { Count: > MaxItems } => throw TooMany(name),
            T[] array => array,
            List<object?> list when list.All(item => item is T) => [.. list.Cast<T>()],
            _ => throw Bad(name, typeof(T[])),
        };

    public Dictionary<string, object?>? GetProperties(string name)
    {
        if (GetOrDefault<Dictionary<object, object?>>(name) is not { } given)
            return null;
        var properties = new Dictionary<string, object?>();
        foreach (var (key, value) in given)
        {
            // In AMQP, a string and a symbol with the same characters are different keys.
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
                $"The argument '{name}' can have at most {MaxItems} items. Use several requests."
            )
        );

    public static AmqpException Bad(string name, Type type) =>
        new(new AmqpError(ServiceBusErrors.ArgumentError, $"The argument '{name}' must be of type {type.Name}."));
}
