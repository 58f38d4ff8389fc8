using System.Net;
using System.Text;
using System.Xml.Linq;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>ATOM documents (RFC 4287) that contain descriptions of entities. They have no XML declaration, because some
/// SDKs embed them.</summary>
internal static class Atom
{
    public static readonly XNamespace ServiceBus =
        "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";
    private static readonly XNamespace Namespace = "http://www.w3.org/2005/Atom";
    private static readonly XNamespace Instance = "http://www.w3.org/2001/XMLSchema-instance";

    public static readonly XName TypeAttribute = Instance + "type";

    public static XElement Element(string name, params object?[] content) => new(ServiceBus + name, content);

    public static string? Text(XElement parent, string name) => parent.Element(ServiceBus + name)?.Value;

    /// <param name="id">The entity's address. SDKs for JavaScript read the entity's name from its path.</param>
    /// <param name="title">The entity's name, where SDKs for .NET read it.</param>
    public static XElement Entry(Uri id, string title, XElement description)
    {
        description.SetAttributeValue("xmlns", ServiceBus.NamespaceName);
        description.SetAttributeValue(XNamespace.Xmlns + "i", Instance.NamespaceName);
        return new(
            Namespace + "entry",
            new XElement(Namespace + "id", id.AbsoluteUri),
            new XElement(Namespace + "title", new XAttribute("type", "text"), title),
            Link("self", id),
            new XElement(Namespace + "content", new XAttribute("type", "application/xml"), description)
        );
    }

    /// <param name="next">The address of the next page; <c>null</c> if this is the last one. Some SDKs follow it,
    /// others count entries.</param>
    public static XElement Feed(Uri id, Uri? next, string title, IEnumerable<XElement> entries) =>
        new(
            Namespace + "feed",
            new XElement(Namespace + "title", new XAttribute("type", "text"), title),
            new XElement(Namespace + "id", id.AbsoluteUri),
            Link("self", id),
            next is null ? null : Link("next", next),
            entries
        );

    public static IResult Ok(XElement document) => Document(document, HttpStatusCode.OK);

    public static IResult Created(XElement document) => Document(document, HttpStatusCode.Created);

    /// <summary>Returns an error in the form that SDKs parse.</summary>
    public static IResult Error(HttpStatusCode status, string detail) =>
        Text(
            new XElement("Error", new XElement("Code", (int)status), new XElement("Detail", detail)),
            "application/xml",
            status
        );

    private static XElement Link(string relation, Uri target) =>
        new(Namespace + "link", new XAttribute("rel", relation), new XAttribute("href", target.AbsoluteUri));

    private static ContentHttpResult Document(XElement document, HttpStatusCode status) =>
        Text(document, $"application/atom+xml;type={document.Name.LocalName}", status);

    private static ContentHttpResult Text(XElement document, string type, HttpStatusCode status) =>
        TypedResults.Text(document.ToString(SaveOptions.DisableFormatting), type, Encoding.UTF8, (int)status);
}
