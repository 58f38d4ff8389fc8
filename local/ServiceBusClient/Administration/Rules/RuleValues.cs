using System.Globalization;
using System.Runtime.Serialization;
using System.Xml;
using System.Xml.Linq;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>Parameters of expressions, and properties of correlation filters, in the broker's XML: the type of a value is in the
/// attribute <c>i:type</c>.</summary>
internal static class RuleValues
{
    public static readonly XNamespace Instance = "http://www.w3.org/2001/XMLSchema-instance";
    private const string Pair = "KeyValueOfstringanyType";
    private static readonly XNamespace Schema = "http://www.w3.org/2001/XMLSchema";
    private static readonly XNamespace Serialization = "http://schemas.microsoft.com/2003/10/Serialization/";

    /// <returns>Null: there are none.</returns>
    public static XElement? Element(string name, IDictionary<string, object> values) => values.Count == 0
        ? null
        : new XElement(
            Atom.ServiceBus + name,
            values.Select(value => new XElement(
                Atom.ServiceBus + Pair, new XElement(Atom.ServiceBus + "Key", value.Key), Value(value.Key, value.Value))));

    public static void Read(XElement parent, string name, IDictionary<string, object> values)
    {
        foreach (var pair in parent.Element(Atom.ServiceBus + name)?.Elements(Atom.ServiceBus + Pair) ?? [])
        {
            var (key, value) = (pair.Element(Atom.ServiceBus + "Key"), pair.Element(Atom.ServiceBus + "Value"));
            if (key is not null && value is not null)
                values[key.Value] = Value(value);
        }
    }

    /// <summary>What <c>i:type</c> says, without its prefix.</summary>
    public static string TypeOf(XElement element) => element.Attribute(Instance + "type")?.Value.Split(':')[^1] ?? "";

    private static XElement Value(string name, object value)
    {
        var (type, text) = Text(name, value);
        var from = type is "guid" or "duration" ? Serialization : Schema;
        return new XElement(
            Atom.ServiceBus + "Value",
            new XAttribute(XNamespace.Xmlns + "v", from.NamespaceName),
            new XAttribute(Instance + "type", $"v:{type}"),
            text);
    }

    private static (string Type, string Text) Text(string name, object value) => value switch
    {
        string text => ("string", text),
        bool flag => ("boolean", XmlConvert.ToString(flag)),
        byte or sbyte or short or ushort or int => ("int", Convert.ToString(value, CultureInfo.InvariantCulture)!),
        uint or long => ("long", Convert.ToString(value, CultureInfo.InvariantCulture)!),
        float or double => ("double", XmlConvert.ToString(Convert.ToDouble(value, CultureInfo.InvariantCulture))),
        decimal number => ("decimal", XmlConvert.ToString(number)),
        Guid id => ("guid", XmlConvert.ToString(id)),
        DateTime moment => ("dateTime", XmlConvert.ToString(moment.ToUniversalTime(), XmlDateTimeSerializationMode.Utc)),
        DateTimeOffset moment => ("dateTime", XmlConvert.ToString(moment)),
        TimeSpan duration => ("duration", XmlConvert.ToString(duration)),
        _ => throw new SerializationException($"'{name}' is a {value?.GetType().Name ?? "null"}, which a rule cannot have for a value."),
    };

    private static object Value(XElement value) => TypeOf(value) switch
    {
        "boolean" => XmlConvert.ToBoolean(value.Value),
        "int" or "short" or "byte" => XmlConvert.ToInt32(value.Value),
        "long" => XmlConvert.ToInt64(value.Value),
        "double" or "float" => XmlConvert.ToDouble(value.Value),
        "decimal" => XmlConvert.ToDecimal(value.Value),
        "guid" => XmlConvert.ToGuid(value.Value),
        "dateTime" => XmlConvert.ToDateTime(value.Value, XmlDateTimeSerializationMode.Utc),
        "duration" => XmlConvert.ToTimeSpan(value.Value),
        _ => value.Value,
    };
}
