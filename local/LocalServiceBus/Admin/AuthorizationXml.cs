using System.Xml.Linq;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>The keys of an entity as the management API writes them.</summary>
internal static class AuthorizationXml
{
    public const string Root = "AuthorizationRules";

    private const string Kind = "SharedAccessAuthorizationRule";

    private static readonly XName Type = XName.Get("type", "http://www.w3.org/2001/XMLSchema-instance");

    public static XElement? Write(IReadOnlyList<EntityKeys> rules) =>
        rules.Count == 0
            ? null
            : Element(
                Root,
                rules.Select(rule =>
                    Element(
                        "AuthorizationRule",
                        new XAttribute(Type, Kind),
                        Element("ClaimType", "SharedAccessKey"),
                        Element("ClaimValue", "None"),
                        Element("Rights", rule.Rights.Select(right => Element("AccessRights", right))),
                        Element("CreatedTime", rule.CreatedAt.UtcDateTime),
                        Element("ModifiedTime", rule.CreatedAt.UtcDateTime),
                        Element("KeyName", rule.Name),
                        Element("PrimaryKey", rule.PrimaryKey),
                        Element("SecondaryKey", rule.SecondaryKey)
                    )
                )
            );

    /// <exception cref="FormatException">The message names what is missing.</exception>
    public static IReadOnlyList<EntityKeys> Read(XElement rules, DateTimeOffset now) =>
        [
            .. rules
                .Elements(Atom.ServiceBus + "AuthorizationRule")
                .Select(rule => new EntityKeys(
                    Text(rule, "KeyName"),
                    Text(rule, "PrimaryKey"),
                    Text(rule, "SecondaryKey"),
                    [.. rule.Descendants(Atom.ServiceBus + "AccessRights").Select(right => right.Value)],
                    now
                )),
        ];

    private static string Text(XElement rule, string name) =>
        rule.Element(Atom.ServiceBus + name)?.Value is { Length: > 0 } text
            ? text
            : throw new FormatException($"{Root}: {name} of a rule is missing.");

    private static XElement Element(string name, params object?[] content) => new(Atom.ServiceBus + name, content);
}
