using System.Net;
using System.Xml;
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
        routes.MapPost("/$connections/drop", DropConnections);

        var management = routes.MapGroup("").AddEndpointFilter(EntityErrors);
        management.MapGet("/$namespaceinfo", (HttpRequest request) => NamespaceInfo(request, started));
        management.MapEntities();
    }

    private static IResult NamespaceInfo(HttpRequest request, DateTimeOffset started) =>
        Atom.Ok(
            Atom.Entry(
                EntityApi.AddressOf(request),
                "",
                Atom.Element(
                    "NamespaceInfo",
                    Atom.Element("CreatedTime", started.UtcDateTime),
                    Atom.Element("MessagingSKU", "Standard"),
                    Atom.Element("ModifiedTime", started.UtcDateTime),
                    Atom.Element("Name", request.Host.Host),
                    Atom.Element("NamespaceType", "Messaging")
                )
            )
        );

    private static IResult DropConnections(AmqpFrontEnd frontEnd, HttpContext context) =>
        HttpAccess.IsFromHere(context)
            ? TypedResults.Json(new { dropped = frontEnd.DropConnections() })
            : TypedResults.Problem(
                "Connections are dropped for callers on this machine only.",
                statusCode: StatusCodes.Status403Forbidden
            );

    private static async ValueTask<object?> EntityErrors(
        EndpointFilterInvocationContext context,
        EndpointFilterDelegate next
    )
    {
        try
        {
            return await next(context);
        }
        catch (Exception error) when (StatusOf(error) is { } status)
        {
            return Atom.Error(status, error.Message);
        }
    }

    /// <returns>Null: it is a defect of the broker.</returns>
    private static HttpStatusCode? StatusOf(Exception error) =>
        error switch
        {
            EntityException { Failure: EntityFailure.NotFound } => HttpStatusCode.NotFound,
            EntityException { Failure: EntityFailure.AlreadyExists or EntityFailure.Failed } => HttpStatusCode.Conflict,
            EntityException { Failure: EntityFailure.QuotaExceeded } => HttpStatusCode.Forbidden,
            EntityException or XmlException or FormatException => HttpStatusCode.BadRequest,
            UnauthorizedAccessException => HttpStatusCode.Unauthorized,
            BadHttpRequestException bad => (HttpStatusCode)bad.StatusCode,
            _ => null,
        };
}
