using System.Net;
using System.Xml;
using System.Xml.Linq;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>
/// What the broker answers over HTTP: the service's own management API in ATOM XML (any api-version) and, with <c>$</c> in front
/// so that no queue can have the name, what a lab needs on top.
/// </summary>
internal static class ManagementApi
{
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
        management.MapEntities();
    }

    private static IResult NamespaceInfo(HttpRequest request, DateTimeOffset started) =>
        Atom.Ok(Atom.Entry(AddressOf(request), "", new XElement(
            Atom.ServiceBus + "NamespaceInfo",
            new XElement(Atom.ServiceBus + "CreatedTime", started.UtcDateTime),
            new XElement(Atom.ServiceBus + "MessagingSKU", "Standard"),
            new XElement(Atom.ServiceBus + "ModifiedTime", started.UtcDateTime),
            new XElement(Atom.ServiceBus + "Name", request.Host.Host),
            new XElement(Atom.ServiceBus + "NamespaceType", "Messaging"))));

    // The queue's name may have slashes in it, and a route cannot have more segments behind those.
    private static async Task<IResult> Purge(string path, ServiceBusNamespace entities, CancellationToken cancellationToken)
    {
        if (!path.EndsWith("/$purge", StringComparison.OrdinalIgnoreCase)
            || EntityAddress.Parse(path[..^"/$purge".Length]).FindStore(entities) is not { } queue)
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
        catch (UnauthorizedAccessException error)
        {
            return Atom.Error(HttpStatusCode.Unauthorized, error.Message);
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

    private static Uri AddressOf(HttpRequest request) => new($"{request.Scheme}://{request.Host}{request.Path}");
}
