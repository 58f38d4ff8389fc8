using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>A path of the management API: <c>QUEUE</c>, <c>TOPIC</c>, <c>TOPIC/Subscriptions[/NAME]</c>, or
/// <c>TOPIC/Subscriptions/NAME/Rules[/NAME]</c>.</summary>
/// <param name="IsList"><c>true</c> for all subscriptions of the topic, or all rules of the subscription.</param>
internal readonly record struct EntityPath(string Entity, string? Rule, bool IsList)
{
    private const string Subscriptions = "/Subscriptions",
        Rules = "/Rules";

    public static EntityPath Parse(string path)
    {
        path = path.Trim('/');
        var isSubscription = QueueOptions.TrySplit(path, out _, out _);
        var list = isSubscription ? Rules : Subscriptions;
        if (path.EndsWith(list, StringComparison.OrdinalIgnoreCase))
            return new(path[..^list.Length], null, true);
        var at = isSubscription ? path.LastIndexOf(Rules + "/", StringComparison.OrdinalIgnoreCase) : -1;
        return at < 0 ? new(path, null, false) : new(path[..at], path[(at + Rules.Length + 1)..], false);
    }
}
