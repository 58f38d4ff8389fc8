using System.Net;
using System.Xml;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>Maps the HTTP endpoints: the management API of Service Bus in ATOM XML (any api-version), and endpoints of
/// this broker that start with <c>$</c>, which queue names can't contain.</summary>
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
        HttpAccess.IsLocalRequest(context)
            ? TypedResults.Json(new { dropped = frontEnd.DropConnections() })
            : TypedResults.Problem(
                "Connections can only be dropped from this machine.",
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

    /// <returns><c>null</c> for an internal error of the broker.</returns>
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
