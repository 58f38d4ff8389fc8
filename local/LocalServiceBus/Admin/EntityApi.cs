using System.Net;
using System.Xml;
using System.Xml.Linq;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Entities.Rules;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.AspNetCore.Routing;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>Queues, topics, subscriptions and rules in the service's own management API. Their names may have slashes in them, so that
/// one route serves them all.</summary>
internal static class EntityApi
{
    private const int LargestPage = 100;

    // Entities that are defined by others grow without end.
    private static readonly XmlReaderSettings Xml = new() { Async = true, DtdProcessing = DtdProcessing.Prohibit, XmlResolver = null };

    public static void MapEntities(this IEndpointRouteBuilder routes)
    {
        routes.MapGet("/$Resources/queues", (ServiceBusNamespace entities, HttpRequest request) =>
            List("Queues", entities.Queues, request, queue => Entry(queue, request)));
        routes.MapGet("/$Resources/topics", (ServiceBusNamespace entities, HttpRequest request) =>
            List("Topics", entities.Topics, request, topic => Entry(topic, request)));
        routes.MapGet("/{**path}", Get);
        routes.MapPut("/{**path}", Put);
        routes.MapDelete("/{**path}", Delete);
    }

    private static IResult Get(string path, ServiceBusNamespace entities, HttpRequest request)
    {
        var parsed = EntityPath.Parse(path);
        return parsed switch
        {
            { Rule: { } rule } => Atom.Ok(Entry(Subscription(entities, parsed), Subscription(entities, parsed).GetRule(rule), request)),
            { Subscription: not null, IsList: true } => ListRules(Subscription(entities, parsed), request),
            { Subscription: not null } => Atom.Ok(Entry(parsed.Entity, Subscription(entities, parsed), request)),
            { IsList: true } => List(
                "Subscriptions", entities.GetTopic(parsed.Entity).Subscriptions, request, one => Entry(parsed.Entity, one, request)),
            _ => Atom.Ok(entities.TryGetTopic(parsed.Entity, out var topic)
                ? Entry(topic, request)
                : Entry(entities.GetQueue(parsed.Entity), request)),
        };
    }

    private static async Task<IResult> Put(
        string path, ServiceBusNamespace entities, HttpRequest request, CancellationToken cancellationToken)
    {
        using var reader = XmlReader.Create(request.Body, Xml);
        var body = await XElement.LoadAsync(reader, LoadOptions.None, cancellationToken);
        var parsed = EntityPath.Parse(path);
        var update = request.Headers.ContainsKey("If-Match");
        var entry = parsed switch
        {
            { IsList: true } => throw new EntityException(EntityFailure.InvalidOption, $"'{Excerpt.Of(path)}' is a list: add a name."),
            { Rule: { } rule } => PutRule(Subscription(entities, parsed), rule, body, update, entities.Time.GetUtcNow(), request),
            { Subscription: not null } => PutSubscription(parsed, entities, body, update, request),
            _ when EntityDescription.IsOf(body, EntityKind.Topic) => PutTopic(parsed.Entity, entities, body, update, request),
            _ => PutQueue(parsed.Entity, entities, body, update, request),
        };
        await entities.KeptAsync().WaitAsync(cancellationToken);
        return update ? Atom.Ok(entry) : Atom.Created(entry);
    }

    private static async Task<Ok> Delete(string path, ServiceBusNamespace entities, CancellationToken cancellationToken)
    {
        switch (EntityPath.Parse(path))
        {
            case { Rule: { } rule } parsed:
                Subscription(entities, parsed).RemoveRule(rule);
                break;
            case { Subscription: { } subscription, IsList: false } parsed:
                entities.DeleteSubscription(parsed.Entity, subscription);
                break;
            case { IsList: true }:
                throw new EntityException(EntityFailure.InvalidOption, $"'{Excerpt.Of(path)}' is a list: add a name.");
            case var parsed when entities.TryGetTopic(parsed.Entity, out _):
                entities.DeleteTopic(parsed.Entity);
                break;
            case var parsed:
                entities.DeleteQueue(parsed.Entity);
                break;
        }
        await entities.KeptAsync().WaitAsync(cancellationToken);
        return TypedResults.Ok();
    }

    private static XElement PutQueue(string name, ServiceBusNamespace entities, XElement body, bool update, HttpRequest request)
    {
        var options = Read(body, update ? entities.GetQueue(name).Options : new QueueOptions(name), request);
        return Entry(update ? entities.UpdateQueue(options) : entities.CreateQueue(options), request);
    }

    private static QueueOptions Read(XElement body, QueueOptions former, HttpRequest request)
    {
        var options = EntityDescription.Read(body, former);
        ForwardingRights.Require(request, options);
        return options;
    }

    private static XElement PutTopic(string name, ServiceBusNamespace entities, XElement body, bool update, HttpRequest request)
    {
        var options = EntityDescription.Read(
            body, update ? entities.GetTopic(name).Intake.Options : new QueueOptions(name) { Kind = EntityKind.Topic });
        return Entry(update ? entities.UpdateTopic(options) : entities.CreateTopic(options), request);
    }

    private static XElement PutSubscription(EntityPath path, ServiceBusNamespace entities, XElement body, bool update, HttpRequest request)
    {
        var former = update
            ? Subscription(entities, path).Queue.Options
            : QueueOptions.OfSubscription(entities.GetTopic(path.Entity).Name, path.Subscription!);
        var options = Read(body, former, request);
        return Entry(path.Entity, update ? entities.UpdateSubscription(options) : entities.CreateSubscription(options), request);
    }

    private static XElement PutRule(
        Subscription subscription, string name, XElement body, bool update, DateTimeOffset now, HttpRequest request)
    {
        var description = RuleXml.Read(body, update ? subscription.GetRule(name) : new RuleDescription(name));
        return Entry(subscription, update ? subscription.UpdateRule(description) : subscription.AddRule(description, now), request);
    }

    private static Subscription Subscription(ServiceBusNamespace entities, EntityPath path) =>
        entities.GetTopic(path.Entity).Get(path.Subscription!);

    private static IResult ListRules(Subscription subscription, HttpRequest request) =>
        List("Rules", subscription.Rules, request, rule => Entry(subscription, rule, request));

    private static IResult List<T>(string title, IReadOnlyList<T> all, HttpRequest request, Func<T, XElement> entry)
    {
        if (!TryNumber(request, "$skip", 0, out var skip))
            return Atom.Error(HttpStatusCode.BadRequest, "$skip must be a whole number from 0.");
        if (!TryNumber(request, "$top", LargestPage, out var top))
            return Atom.Error(HttpStatusCode.BadRequest, "$top must be a whole number from 0.");
        top = Math.Min(top, LargestPage);
        var rest = all.Skip(skip).ToList();
        var address = AddressOf(request);
        var next = rest.Count > top ? new Uri($"{address}?$skip={skip + top}&$top={top}") : null;
        return Atom.Ok(Atom.Feed(address, next, title, rest.Take(top).Select(entry)));
    }

    private static XElement Entry(Queue queue, HttpRequest request) =>
        Atom.Entry(AddressOf(request, queue.Name), queue.Name, EntityDescription.Write(queue));

    private static XElement Entry(Topic topic, HttpRequest request) =>
        Atom.Entry(AddressOf(request, topic.Name), topic.Name, EntityDescription.Write(topic));

    private static XElement Entry(string topic, Subscription subscription, HttpRequest request) => Atom.Entry(
        AddressOf(request, $"{topic}/Subscriptions/{subscription.Name}"), subscription.Name, EntityDescription.Write(subscription));

    private static XElement Entry(Subscription subscription, RuleDescription rule, HttpRequest request) =>
        Atom.Entry(AddressOf(request, $"{subscription.Queue.Name}/Rules/{rule.Name}"), rule.Name, RuleXml.Write(rule));

    private static Uri AddressOf(HttpRequest request, string path) => new($"{request.Scheme}://{request.Host}/{path}");

    internal static Uri AddressOf(HttpRequest request) => new($"{request.Scheme}://{request.Host}{request.Path}");

    private static bool TryNumber(HttpRequest request, string name, int otherwise, out int number)
    {
        number = otherwise;
        return !request.Query.TryGetValue(name, out var text) || (int.TryParse(text, out number) && number >= 0);
    }
}
