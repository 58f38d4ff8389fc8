using System.Reflection;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.Lab.Report;

/// <summary>
/// The application as it flies: a page that schedules deliveries and follows them on a map, and the services' public HTTP, which the lab
/// passes on to it.
/// </summary>
internal static class FlightsEndpoints
{
    public const string Path = "/flights";

    private static readonly (string Route, Service Service)[] Passed =
    [
        ("/api/deliveryrequests", Service.Ingestion),
        ("/api/deliveries", Service.Delivery),
        ("/api/drones", Service.DroneScheduler),
    ];

    /// <param name="app">Beside its live page.</param>
    /// <param name="plan">The application that runs.</param>
    public static void MapFlights(this WebApplication app, ApplicationPlan plan)
    {
        var page = app.MapGroup("").AddEndpointFilter(OtherSites.Refuse).AddEndpointFilter(OtherSites.NobodysFrame);
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
