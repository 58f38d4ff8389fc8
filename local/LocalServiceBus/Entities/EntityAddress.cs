namespace DroneDelivery.LocalServiceBus.Entities;

internal enum NodeKind
{
    /// <summary>A queue, a topic or a subscription, or a dead-letter queue.</summary>
    Entity,

    /// <summary>The request/response node of an entity, <c>ENTITY/$management</c>.</summary>
    Management,

    /// <summary>The node that takes tokens, <c>$cbs</c>.</summary>
    Claims,
}

/// <summary>An address as clients write it: <c>queue</c>, <c>/queue</c>, <c>amqps://host/queue</c>,
/// <c>topic/Subscriptions/subscription</c>, with or without <c>/$DeadLetterQueue</c> or <c>/$Transfer/$DeadLetterQueue</c>, and
/// <c>/$management</c>. Upper and lower case are the same throughout.</summary>
/// <param name="Path">Name of the entity; empty for the namespace.</param>
/// <param name="IsDeadLetter">Whether a dead-letter queue of the entity is meant.</param>
internal readonly record struct EntityAddress(NodeKind Kind, string Path, bool IsDeadLetter)
{
    // Longer than the names of a topic and its subscription can be.
    private const int LongestPath = 400;

    private const string Management = "/$management";
    private const string DeadLetterQueue = "/$deadletterqueue";
    private const string Transfer = "/$transfer";
    private const string Claims = "/$cbs";

    /// <summary>Whether it is the one of messages that could not be forwarded.</summary>
    public bool IsTransfer { get; init; }

    /// <summary>No entity has such an address, and nothing that is kept or searched for a client grows with it.</summary>
    public bool IsTooLong => Path.Length > LongestPath;

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

    /// <summary>Without host and slashes around it: clients write the address of an entity, files its name.</summary>
    public static string PathOf(string address)
    {
        var authority = address.IndexOf("://", StringComparison.Ordinal);
        if (authority < 0)
            return address.Trim('/');
        var path = address.IndexOf('/', authority + 3);
        return path < 0 ? "" : Uri.UnescapeDataString(address[path..]).Trim('/');
    }

    /// <summary>What a token is for. One for an entity is good for what is below it; one for a dead-letter queue, or for a management node,
    /// is for that alone.</summary>
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

    /// <summary>What messages can be received from; null: there is none of that address.</summary>
    public Queue? FindSource(ServiceBusNamespace entities) => Part(entities.FindSource(Path));

    /// <summary>What holds messages there, those too that a topic has not handed on; null: there is nothing of that address.</summary>
    public Queue? FindStore(ServiceBusNamespace entities) =>
        Part(entities.FindSource(Path) ?? entities.FindTarget(Path));

    /// <summary>What messages can be sent to; null: there is none of that address.</summary>
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
