namespace DroneDelivery.LocalServiceBus.Entities;

internal enum NodeKind
{
    Entity,

    /// <summary>The request/response node of an entity, <c>ENTITY/$management</c>.</summary>
    Management,

    Claims,
}

/// <summary>An address that a client uses: <c>queue</c>, <c>/queue</c>, <c>amqps://host/queue</c>, or
/// <c>topic/Subscriptions/subscription</c>, optionally followed by <c>/$DeadLetterQueue</c> or
/// <c>/$Transfer/$DeadLetterQueue</c>, and by <c>/$management</c>. Case-insensitive.</summary>
/// <param name="Path">The name of the entity; empty for the namespace.</param>
internal readonly record struct EntityAddress(NodeKind Kind, string Path, bool IsDeadLetter)
{
    // More than a topic and a subscription name need.
    private const int MaxPathLength = 400;

    private const string Management = "/$management";
    private const string DeadLetterQueue = "/$deadletterqueue";
    private const string Transfer = "/$transfer";
    private const string Claims = "/$cbs";

    public bool IsTransfer { get; init; }

    /// <summary><c>true</c> if the address is longer than any entity's. Such addresses are neither stored nor looked
    /// up.</summary>
    public bool IsTooLong => Path.Length > MaxPathLength;

    public static EntityAddress Parse(string address)
    {
        var path = "/" + PathOf(address);
        if (path.Equals(Claims, StringComparison.OrdinalIgnoreCase))
            return new EntityAddress(NodeKind.Claims, "", false);
        var kind = Strip(ref path, Management) ? NodeKind.Management : NodeKind.Entity;
        var isDeadLetter = Strip(ref path, DeadLetterQueue);
        var isTransfer = isDeadLetter && Strip(ref path, Transfer);
        return new EntityAddress(kind, path.TrimStart('/'), isDeadLetter) { IsTransfer = isTransfer };
    }

    /// <summary>Removes the host and the surrounding slashes. Clients send addresses; configuration files contain
    /// names.</summary>
    public static string PathOf(string address)
    {
        var authority = address.IndexOf("://", StringComparison.Ordinal);
        if (authority < 0)
            return address.Trim('/');
        var path = address.IndexOf('/', authority + 3);
        return path < 0 ? "" : Uri.UnescapeDataString(address[path..]).Trim('/');
    }

    /// <summary>The resource for access checks. A token for an entity covers its subentities; a token for a dead-letter
    /// queue or management node covers only that.</summary>
    public string AccessPath
    {
        get
        {
            var path =
                IsTransfer ? $"{Path}/$Transfer/$DeadLetterQueue"
                : IsDeadLetter ? $"{Path}/$DeadLetterQueue"
                : Path;
            return Kind switch
            {
                NodeKind.Claims => "$cbs",
                NodeKind.Management => $"{path}/$management",
                _ => path,
            };
        }
    }

    public Queue? FindSource(ServiceBusNamespace entities) => Part(entities.FindSource(Path));

    /// <summary>Finds the entity that stores messages, including the queue of a topic; <c>null</c> if there is
    /// none.</summary>
    public Queue? FindStore(ServiceBusNamespace entities) =>
        Part(entities.FindSource(Path) ?? entities.FindTarget(Path));

    public Queue? FindTarget(ServiceBusNamespace entities) => IsDeadLetter ? null : entities.FindTarget(Path);

    private Queue? Part(Queue? queue) =>
        IsTransfer ? queue?.TransferDeadLetterQueue
        : IsDeadLetter ? queue?.DeadLetterQueue
        : queue;

    private static bool Strip(ref string path, string suffix)
    {
        if (!path.EndsWith(suffix, StringComparison.OrdinalIgnoreCase))
            return false;
        path = path[..^suffix.Length];
        return true;
    }
}
