using System.Xml.Linq;
using DroneDelivery.LocalServiceBus.Entities;
using static DroneDelivery.LocalServiceBus.Admin.Atom;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>The shared access rules of an entity, in the XML of the management API.</summary>
internal static class AuthorizationXml
{
    public const string Root = "AuthorizationRules";

    private const string Kind = "SharedAccessAuthorizationRule";

    public static XElement? Write(IReadOnlyList<EntityKeys> rules) =>
        rules.Count == 0
            ? null
            : Element(
                Root,
                rules.Select(rule =>
                    Element(
                        "AuthorizationRule",
                        new XAttribute(TypeAttribute, Kind),
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

    public static IReadOnlyList<EntityKeys> Read(XElement rules, DateTimeOffset now) =>
        [
            .. rules
                .Elements(ServiceBus + "AuthorizationRule")
                .Select(rule => new EntityKeys(
                    Required(rule, "KeyName"),
                    Required(rule, "PrimaryKey"),
                    Required(rule, "SecondaryKey"),
                    [.. rule.Descendants(ServiceBus + "AccessRights").Select(right => right.Value)],
                    now
                )),
        ];

    private static string Required(XElement rule, string name) =>
        Text(rule, name) is { Length: > 0 } text ? text : throw new FormatException($"{Root}: a rule has no {name}.");
}
