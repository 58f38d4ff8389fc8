using System.Xml.Linq;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>The namespace that the queues and topics are in.</summary>
public class NamespaceProperties
{
    internal const string Root = "NamespaceInfo";

    public string Name { get; internal init; } = "";

    public string? Alias { get; internal init; }

    public MessagingSku MessagingSku { get; internal init; }

    /// <summary>0 in tiers without units.</summary>
    public int MessagingUnits { get; internal init; }

    public DateTimeOffset CreatedTime { get; internal init; }

    public DateTimeOffset ModifiedTime { get; internal init; }

    internal static NamespaceProperties Read(string title, XElement description) => new()
    {
        Name = description.Element(Atom.ServiceBus + "Name")?.Value ?? title,
        Alias = description.Element(Atom.ServiceBus + "Alias")?.Value,
        MessagingSku = description.Element(Atom.ServiceBus + "MessagingSKU")?.Value ?? "",
        MessagingUnits = (int)Atom.Count(description, "MessagingUnits"),
        CreatedTime = Atom.Time(description, "CreatedTime"),
        ModifiedTime = Atom.Time(description, "ModifiedTime"),
    };
}
