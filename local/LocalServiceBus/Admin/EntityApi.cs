using System.Net;
using System.Text.RegularExpressions;
using System.Xml;
using System.Xml.Linq;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Entities.Rules;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.AspNetCore.Routing;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>The management API for queues, topics, subscriptions, and rules. One route handles all of them, because
/// names can contain slashes.</summary>
internal static partial class EntityApi
{
    private const int MaxPageSize = 100;

    // Prevents a stack overflow: reading the value of an element recurses once per level. SDKs use six levels.
    private const int MaxDepth = 32;

    // Prohibits DTDs, whose entities can expand without limit.
    private static readonly XmlReaderSettings Xml = new()
    {
        DtdProcessing = DtdProcessing.Prohibit,
        XmlResolver = null,
    };

    public static void MapEntities(this IEndpointRouteBuilder routes)
    {
        routes.MapGet("/$Resources/queues", (ServiceBusNamespace entities, HttpRequest request) =>
            List("Queues", entities.Queues, request, queue => queue.Name, queue => Entry(queue, request))
        );
        routes.MapGet("/$Resources/topics", (ServiceBusNamespace entities, HttpRequest request) =>
            List("Topics", entities.Topics, request, topic => topic.Name, topic => Entry(topic.Intake, request))
        );
        routes.MapGet("/{**path}", Get);
        routes.MapPut("/{**path}", Put);
        routes.MapDelete("/{**path}", Delete);
    }

    private static IResult Get(string path, ServiceBusNamespace entities, HttpRequest request)
    {
        var (name, rule, isList) = EntityPath.Parse(path);
        var queue = entities.Get(name);
        return (isList, queue) switch
        {
            (true, { Topic: { } topic }) => List(
                "Subscriptions",
                topic.Subscriptions,
                request,
                one => one.Name,
                one => Entry(one.Queue, request)
            ),
            (true, _) => List(
                "Rules",
                RulesOf(queue).Rules,
                request,
                one => one.Name,
                one => Entry(queue, one, request)
            ),
            _ => Atom.Ok(rule is null ? Entry(queue, request) : Entry(queue, RulesOf(queue).GetRule(rule), request)),
        };
    }

    private static async Task<IResult> Put(
        string path,
        ServiceBusNamespace entities,
        HttpRequest request,
        CancellationToken cancellationToken
    )
    {
        var body = await ReadAsync(request, cancellationToken);
        var (name, rule) = One(path);
        var update = request.Headers.ContainsKey("If-Match");
        var entry = rule is null
            ? PutEntity(name, entities, body, update, request)
            : PutRule(entities.Get(name), rule, body, update, entities.Time.GetUtcNow(), request);
        await entities.StoredAsync().WaitAsync(cancellationToken);
        return update ? Atom.Ok(entry) : Atom.Created(entry);
    }

    private static async Task<XElement> ReadAsync(HttpRequest request, CancellationToken cancellationToken)
    {
        using var bytes = new MemoryStream();
        await request.Body.CopyToAsync(bytes, cancellationToken);
        bytes.Position = 0;
        using (var levels = XmlReader.Create(bytes, Xml))
        {
            while (levels.Read())
            {
                if (levels.Depth > MaxDepth)
                    throw new XmlException($"The body has more than {MaxDepth} levels of nested elements.");
            }
        }
        bytes.Position = 0;
        using var reader = XmlReader.Create(bytes, Xml);
        return XElement.Load(reader);
    }

    private static async Task<Ok> Delete(string path, ServiceBusNamespace entities, CancellationToken cancellationToken)
    {
        var (name, rule) = One(path);
        if (rule is null)
            entities.Delete(name);
        else
            RulesOf(entities.Get(name)).RemoveRule(rule);
        await entities.StoredAsync().WaitAsync(cancellationToken);
        return TypedResults.Ok();
    }

    private static (string Name, string? Rule) One(string path) =>
        EntityPath.Parse(path) is var (name, rule, isList) && !isList
            ? (name, rule)
            : throw new EntityException(
                EntityFailure.InvalidOption,
                $"'{Excerpt.Of(path)}' is a list. Add the name of an entry."
            );

    private static XElement PutEntity(
        string name,
        ServiceBusNamespace entities,
        XElement body,
        bool update,
        HttpRequest request
    )
    {
        var options = EntityDescription.Read(
            body,
            update ? entities.Get(name).Options : New(name, entities, body),
            entities.Time.GetUtcNow()
        );
        ForwardingRights.Require(request, options);
        return Entry(update ? entities.Update(options) : entities.Create(options), request);
    }

    private static QueueOptions New(string name, ServiceBusNamespace entities, XElement body)
    {
        if (QueueOptions.TrySplit(name, out var topic, out var subscription))
            return QueueOptions.OfSubscription(entities.Get(topic).Name, subscription);
        var isTopic = EntityDescription.IsOf(body, EntityKind.Topic);
        return new QueueOptions(name) { Kind = isTopic ? EntityKind.Topic : EntityKind.Queue };
    }

    private static XElement PutRule(
        Queue queue,
        string name,
        XElement body,
        bool update,
        DateTimeOffset now,
        HttpRequest request
    )
    {
        var subscription = RulesOf(queue);
        var description = RuleXml.Read(body, update ? subscription.GetRule(name) : new RuleDescription(name));
        return Entry(
            queue,
            update ? subscription.UpdateRule(description) : subscription.AddRule(description, now),
            request
        );
    }

    private static Subscription RulesOf(Queue queue) =>
        queue.Subscription ?? throw EntityException.NotFound($"{queue.Name}/Rules");

    private static IResult List<T>(
        string title,
        IReadOnlyList<T> all,
        HttpRequest request,
        Func<T, string> name,
        Func<T, XElement> entry
    )
    {
        var filter = request.Query["$filter"].ToString();
        var begin = StartsWith().Match(filter).Groups["begin"];
        if (filter.Length > 0 && !begin.Success)
            return Atom.Error(HttpStatusCode.BadRequest, "$filter must have the form startswith(path, 'TEXT').");
        if (!TryNumber(request, "$skip", 0, out var skip) || !TryNumber(request, "$top", MaxPageSize, out var top))
            return Atom.Error(HttpStatusCode.BadRequest, "$skip and $top must be integers greater than or equal to 0.");
        top = Math.Min(top, MaxPageSize);
        var rest = all.Where(one => name(one).StartsWith(begin.Value, StringComparison.OrdinalIgnoreCase))
            .Skip(skip)
            .ToList();
        var address = AddressOf(request);
        var filtered = begin.Success ? $"&$filter={Uri.EscapeDataString(filter)}" : "";
        var next = rest.Count > top ? new Uri($"{address}?$skip={skip + top}&$top={top}{filtered}") : null;
        return Atom.Ok(Atom.Feed(address, next, title, rest.Take(top).Select(entry)));
    }

    private static XElement Entry(Queue queue, HttpRequest request) =>
        Atom.Entry(
            AddressOf(request, queue.Name),
            queue.Subscription?.Name ?? queue.Name,
            EntityDescription.Write(queue)
        );

    private static XElement Entry(Queue queue, RuleDescription rule, HttpRequest request) =>
        Atom.Entry(AddressOf(request, $"{queue.Name}/Rules/{rule.Name}"), rule.Name, RuleXml.Write(rule));

    private static Uri AddressOf(HttpRequest request, string path) => new($"{request.Scheme}://{request.Host}/{path}");

    internal static Uri AddressOf(HttpRequest request) => new($"{request.Scheme}://{request.Host}{request.Path}");

    /// <summary>The filter of tools that use the first generation of SDKs.</summary>
    [GeneratedRegex(
        @"^\s*startswith\(\s*path\s*,\s*'(?<begin>[^']*)'\s*\)(\s+eq\s+true)?\s*\z",
        RegexOptions.CultureInvariant | RegexOptions.IgnoreCase | RegexOptions.NonBacktracking
    )]
    private static partial Regex StartsWith();

    private static bool TryNumber(HttpRequest request, string name, int otherwise, out int number)
    {
        number = otherwise;
        return !request.Query.TryGetValue(name, out var text) || (int.TryParse(text, out number) && number >= 0);
    }
}
