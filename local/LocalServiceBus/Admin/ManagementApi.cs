using System.Net;
using System.Xml;
using System.Xml.Linq;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>
/// What the broker answers over HTTP: the service's own management API in ATOM XML (queues; any api-version) and, with <c>$</c> in front
/// so that no queue can have the name, what a lab needs on top.
/// </summary>
internal static class ManagementApi
{
    private const int LargestPage = 100;

    // Entities that are defined by others grow without end.
    private static readonly XmlReaderSettings Xml = new() { Async = true, DtdProcessing = DtdProcessing.Prohibit, XmlResolver = null };

    public static void MapManagement(this IEndpointRouteBuilder routes)
    {
        var started = routes.ServiceProvider.GetRequiredService<TimeProvider>().GetUtcNow();
        routes.MapGet("/health/live", () => "Healthy");
        routes.MapGet("/health/ready", () => "Healthy");
        routes.MapGet("/$counters", (ServiceBusNamespace entities, AmqpFrontEnd frontEnd) => Counters.Of(entities, frontEnd));
        routes.MapPost("/$connections/drop", DropConnections);
        routes.MapPost("/{**path}", Purge);

        var management = routes.MapGroup("").AddEndpointFilter(EntityErrors);
        management.MapGet("/$namespaceinfo", (HttpRequest request) => NamespaceInfo(request, started));
        management.MapGet("/$Resources/queues", ListQueues);
        management.MapGet("/$Resources/topics", NoTopics);
        management.MapGet("/{**queue}", GetQueue);
        management.MapPut("/{**queue}", PutQueue);
        management.MapDelete("/{**queue}", DeleteQueue);
    }

    private static IResult NamespaceInfo(HttpRequest request, DateTimeOffset started) =>
        Atom.Ok(Atom.Entry(AddressOf(request), "", new XElement(
            Atom.ServiceBus + "NamespaceInfo",
            new XElement(Atom.ServiceBus + "CreatedTime", started.UtcDateTime),
            new XElement(Atom.ServiceBus + "MessagingSKU", "Standard"),
            new XElement(Atom.ServiceBus + "ModifiedTime", started.UtcDateTime),
            new XElement(Atom.ServiceBus + "Name", request.Host.Host),
            new XElement(Atom.ServiceBus + "NamespaceType", "Messaging"))));

    private static IResult ListQueues(ServiceBusNamespace entities, HttpRequest request)
    {
        if (!TryNumber(request, "$skip", 0, out var skip))
            return Atom.Error(HttpStatusCode.BadRequest, "$skip must be a whole number from 0.");
        if (!TryNumber(request, "$top", LargestPage, out var top))
            return Atom.Error(HttpStatusCode.BadRequest, "$top must be a whole number from 0.");
        top = Math.Min(top, LargestPage);
        var rest = entities.Queues.Skip(skip).ToList();
        var next = rest.Count > top ? new Uri($"{AddressOf(request)}?$skip={skip + top}&$top={top}") : null;
        return Atom.Ok(Atom.Feed(AddressOf(request), next, "Queues", rest.Take(top).Select(queue => Entry(queue, request))));
    }

    // SDKs and tools ask for topics when they list a namespace.
    private static IResult NoTopics(HttpRequest request) => Atom.Ok(Atom.Feed(AddressOf(request), next: null, "Topics", []));

    private static IResult GetQueue(string queue, ServiceBusNamespace entities, HttpRequest request) =>
        Atom.Ok(Entry(entities.GetQueue(queue), request));

    private static async Task<IResult> PutQueue(
        string queue, ServiceBusNamespace entities, HttpRequest request, CancellationToken cancellationToken)
    {
        using var reader = XmlReader.Create(request.Body, Xml);
        var entry = await XElement.LoadAsync(reader, LoadOptions.None, cancellationToken);
        var update = request.Headers.ContainsKey("If-Match");
        var options = QueueDescription.Read(entry, update ? entities.GetQueue(queue).Options : new QueueOptions(queue));
        var changed = update ? entities.UpdateQueue(options) : entities.CreateQueue(options);
        await entities.KeptAsync().WaitAsync(cancellationToken);
        return update ? Atom.Ok(Entry(changed, request)) : Atom.Created(Entry(changed, request));
    }

    private static async Task<Ok> DeleteQueue(string queue, ServiceBusNamespace entities, CancellationToken cancellationToken)
    {
        entities.DeleteQueue(queue);
        await entities.KeptAsync().WaitAsync(cancellationToken);
        return TypedResults.Ok();
    }

    // The queue's name may have slashes in it, and a route cannot have more segments behind those.
    private static async Task<IResult> Purge(string path, ServiceBusNamespace entities, CancellationToken cancellationToken)
    {
        if (!path.EndsWith("/$purge", StringComparison.OrdinalIgnoreCase)
            || EntityAddress.Parse(path[..^"/$purge".Length]).FindQueue(entities) is not { } queue)
        {
            return TypedResults.Problem(
                $"There is nothing to POST to at '{path}': a queue is purged at QUEUE/$purge.",
                statusCode: StatusCodes.Status404NotFound);
        }
        var purged = queue.Purge();
        await entities.KeptAsync().WaitAsync(cancellationToken);
        return TypedResults.Json(new { purged });
    }

    private static IResult DropConnections(AmqpFrontEnd frontEnd, HttpContext context) =>
        context.Connection.RemoteIpAddress is { } client && IPAddress.IsLoopback(client)
            ? TypedResults.Json(new { dropped = frontEnd.DropConnections() })
            : TypedResults.Problem("Connections are dropped for callers on this machine only.", statusCode: StatusCodes.Status403Forbidden);

    private static async ValueTask<object?> EntityErrors(EndpointFilterInvocationContext context, EndpointFilterDelegate next)
    {
        try
        {
            return await next(context);
        }
        catch (EntityException error)
        {
            return Atom.Error(StatusOf(error.Failure), error.Message);
        }
        catch (Exception error) when (error is XmlException or FormatException)
        {
            return Atom.Error(HttpStatusCode.BadRequest, error.Message);
        }
        catch (BadHttpRequestException error)
        {
            return Atom.Error((HttpStatusCode)error.StatusCode, error.Message);
        }
    }

    private static HttpStatusCode StatusOf(EntityFailure failure) => failure switch
    {
        EntityFailure.NotFound => HttpStatusCode.NotFound,
        EntityFailure.AlreadyExists or EntityFailure.Failed => HttpStatusCode.Conflict,
        EntityFailure.QuotaExceeded => HttpStatusCode.Forbidden,
        _ => HttpStatusCode.BadRequest,
    };

    private static XElement Entry(Queue queue, HttpRequest request) =>
        Atom.Entry(new Uri($"{request.Scheme}://{request.Host}/{queue.Name}"), queue.Name, QueueDescription.Write(queue));

    private static Uri AddressOf(HttpRequest request) => new($"{request.Scheme}://{request.Host}{request.Path}");

    private static bool TryNumber(HttpRequest request, string name, int otherwise, out int number)
    {
        number = otherwise;
        return !request.Query.TryGetValue(name, out var text) || (int.TryParse(text, out number) && number >= 0);
    }
}
