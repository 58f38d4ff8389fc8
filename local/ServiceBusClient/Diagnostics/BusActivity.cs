using System.Diagnostics;

namespace Azure.Messaging.ServiceBus;

/// <summary>
/// One operation as collectors of <see cref="DiagnosticListener"/> events see it. They read the links from the event's payload,
/// which is this activity itself, by the name <c>Links</c>; hence the property hides the inherited one.
/// </summary>
internal sealed class BusActivity(string name, IReadOnlyList<Activity> links) : Activity(name)
{
    public new IEnumerable<Activity> Links { get; } = links;
}
