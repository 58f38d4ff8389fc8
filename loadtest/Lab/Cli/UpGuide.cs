using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

/// <summary>The output of <c>lab up</c>: addresses and example commands.</summary>
internal static class UpGuide
{
    public static string Of(ApplicationPlan plan, Uri live) =>
        $"""
            Running. Ctrl-C stops everything.

              Ingestion      {plan.Url(Service.Ingestion, 0)}openapi/v1.json
              Package        {plan.Url(Service.Package, 0)}openapi/v1.json
              DroneScheduler {plan.Url(Service.DroneScheduler, 0)}openapi/v1.json
              Delivery       {plan.Url(Service.Delivery, 0)}openapi/v1.json
            {Addresses(plan)}  Service Bus    {plan.BrokerConnectionString}
              Logs           {plan.Logs}
              Telemetry      {Path.Combine(plan.Folder, TelemetryCollector.FileName)} ({TelemetryCollector.LastHour})
              In the air     {new Uri(live, FlightsEndpoints.Path)}
              Live dashboard {live}

            For the state, logs, metrics and traces of each process, and to stop one, start the application with the Aspire
            dashboard instead: dotnet run --project services/AppHost

            Schedule a delivery, then poll the status URL in the Location header of the response (it starts with /api) until it returns 200:

            {Delivery(plan, Service.Ingestion, "")}
            {More(plan)}
            Or, in another terminal: ./lab send -n 200   ./lab down
            """;

    private static string Addresses(ApplicationPlan plan) =>
        plan.With.Contains(Service.Gateway) ? $"  Gateway        {plan.Url(Service.Gateway, 0)}health/ready\n" : "";

    private static string More(ApplicationPlan plan) =>
        plan.With.Contains(Service.Gateway) ? ThroughTheGateway(plan) : "";

    private static string ThroughTheGateway(ApplicationPlan plan) =>
        $"""

            The same through the gateway, which requires a key (without it, the response is 401):

            {Delivery(plan, Service.Gateway, $" -H '{ApplicationPlan.GatewayKeyHeader}: {ApplicationPlan.GatewayKey}'")}

            """;

    private static string Delivery(ApplicationPlan plan, Service service, string header)
    {
        var url = plan.Url(service, 0).ToString().TrimEnd('/');
        var body = Path.GetRelativePath(Environment.CurrentDirectory, DeliveryRequests.FilePath);
        return $"""
              curl -i {url}/api/deliveryrequests{header} -H 'Content-Type: application/json' -d '@{body}'
              curl -i '{url}LOCATION'{header}
            """;
    }
}
