using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>What a path of the management API names: <c>QUEUE</c>, <c>TOPIC</c>, <c>TOPIC/Subscriptions[/NAME]</c>, or
/// <c>TOPIC/Subscriptions/NAME/Rules[/NAME]</c>.</summary>
/// <param name="Entity">The queue or topic.</param>
/// <param name="Subscription">Null: the topic's list of them, if <paramref name="IsList"/>, or the entity itself.</param>
/// <param name="Rule">Null: the subscription's list of them, if <paramref name="IsList"/>, or the subscription itself.</param>
/// <param name="IsList">Whether all subscriptions, or all rules, are meant.</param>
internal readonly record struct EntityPath(string Entity, string? Subscription, string? Rule, bool IsList)
{
    private const string Subscriptions = "/Subscriptions", Rules = "/Rules";

    public static EntityPath Parse(string path)
    {
        path = path.Trim('/');
        if (path.EndsWith(Subscriptions, StringComparison.OrdinalIgnoreCase))
            return new(path[..^Subscriptions.Length], null, null, true);
        if (!QueueOptions.TrySplit(path, out var topic, out var rest))
            return new(path, null, null, false);
        if (rest.EndsWith(Rules, StringComparison.OrdinalIgnoreCase))
            return new(topic, rest[..^Rules.Length], null, true);
        var at = rest.IndexOf(Rules + "/", StringComparison.OrdinalIgnoreCase);
        return at < 0 ? new(topic, rest, null, false) : new(topic, rest[..at], rest[(at + Rules.Length + 1)..], false);
    }
}
