using System.Globalization;
using System.Xml;
using System.Xml.Linq;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>What the broker's ATOM XML has for every kind of entity: <c>entry/content/DESCRIPTION</c>, in a <c>feed</c> when they are
/// many.</summary>
internal static class Atom
{
    public static readonly XNamespace ServiceBus = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";
    private static readonly XNamespace Namespace = "http://www.w3.org/2005/Atom";

    // What only the broker sets.
    private static readonly HashSet<string> Runtime =
    [
        "AccessedAt", "CreatedAt", "UpdatedAt", "MessageCount", "SizeInBytes", "CountDetails", "SubscriptionCount",
        "DefaultRuleDescription", "EntityAvailabilityStatus", "SkippedUpdate",
    ];

    public static string Write(XElement description) => new XElement(
        Namespace + "entry",
        new XElement(Namespace + "content", new XAttribute("type", "application/xml"), description))
        .ToString(SaveOptions.DisableFormatting);

    /// <summary>The entity of an <c>entry</c>; null for one of another kind, and for the empty feed with which the broker answers when
    /// there is none.</summary>
    public static T? Single<T>(string xml, string root, Func<string, XElement, T> read) where T : class =>
        XElement.Parse(xml) is { Name.LocalName: "entry" } entry ? Entry(entry, root, read) : null;

    public static IReadOnlyList<T> Feed<T>(string xml, string root, Func<string, XElement, T> read) where T : class =>
        [.. XElement.Parse(xml).Elements(Namespace + "entry").Select(entry => Entry(entry, root, read)).OfType<T>()];

    /// <summary>Sets what the description says.</summary>
    /// <param name="entity">Gets it.</param>
    /// <param name="description">Of the entity.</param>
    /// <param name="setters">For each element that this client knows.</param>
    /// <param name="unknown">Gets the others, which an update sends back.</param>
    public static T Set<T>(T entity, XElement description, Dictionary<string, Action<T, string>> setters, List<XElement> unknown)
    {
        foreach (var element in description.Elements())
        {
            if (setters.TryGetValue(element.Name.LocalName, out var set))
                set(entity, element.Value);
            else if (!Runtime.Contains(element.Name.LocalName))
                unknown.Add(element);
        }

        return entity;
    }

    /// <returns>Null: there is nothing to write.</returns>
    public static XElement? Element(string name, object? value) => value is null ? null : new XElement(ServiceBus + name, value);

    public static TimeSpan? Limited(TimeSpan value) => value == TimeSpan.MaxValue ? null : value;

    // The counts inside CountDetails are in a namespace of their own.
    public static long Count(XElement description, string name) =>
        description.Descendants().FirstOrDefault(element => element.Name.LocalName == name) is { } element
            ? XmlConvert.ToInt64(element.Value)
            : 0;

    public static DateTimeOffset Time(XElement description, string name) =>
        description.Element(ServiceBus + name) is { } element
            ? DateTimeOffset.Parse(element.Value, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal)
            : default;

    private static T? Entry<T>(XElement entry, string root, Func<string, XElement, T> read) where T : class =>
        entry.Element(Namespace + "content")?.Element(ServiceBus + root) is { } description
            ? read(entry.Element(Namespace + "title")?.Value ?? "", description)
            : null;
}
