using System.Reflection;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Report;

/// <summary>A page that schedules deliveries and follows them on a map, and a proxy to the services' public HTTP API.</summary>
internal static class FlightsEndpoints
{
    public const string Path = "/flights";

    private static readonly (string Route, Service Service)[] Passed =
    [
        ("/api/deliveryrequests", Service.Ingestion),
        ("/api/deliveries", Service.Delivery),
        ("/api/drones", Service.DroneScheduler),
    ];

    public static void MapFlights(this WebApplication app, ApplicationPlan plan)
    {
        var page = app.MapGroup("").AddEndpointFilter(OtherSites.Reject).AddEndpointFilter(OtherSites.DenyFraming);
        page.MapGet(Path, () =>
            Results.Stream(
                Assembly.GetExecutingAssembly().GetManifestResourceStream("flights.html")!,
                "text/html; charset=utf-8"
            )
        );
        foreach (var (route, service) in Passed)
            page.MapForwarder(route + "/{**rest}", plan.Url(service, 0).ToString());
    }
}
