using System.Text.Json.Serialization;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Metrics;
using DroneDelivery.LocalServiceBus.Wire;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace DroneDelivery.LocalServiceBus.Admin;

/// <summary>What shows how the broker is: health, metrics and counts.</summary>
internal static class StatusApi
{
    public static void MapStatus(this IEndpointRouteBuilder routes)
    {
        routes.MapGet("/health", (ServiceBusNamespace entities) =>
        {
            var health = BrokerHealth.Of(entities);
            return TypedResults.Json(health, statusCode: health.IsHealthy ? 200 : 503);
        });
        routes.MapGet("/metrics", (ServiceBusNamespace entities, AmqpFrontEnd frontEnd) =>
            TypedResults.Text(
                BrokerMetric.Render(BrokerCounts.Of(entities, frontEnd, BrokerMetric.MaxQueues)),
                BrokerMetric.ContentType
            )
        );
        routes.MapGet("/$counters", (ServiceBusNamespace entities, AmqpFrontEnd frontEnd) =>
            BrokerCounts.Of(entities, frontEnd)
        );
    }
}

/// <summary>More than whether the process lives: what an operator has to do something about.</summary>
/// <param name="Status">Healthy or Degraded.</param>
/// <param name="Defects">Exceptions in the broker itself.</param>
/// <param name="FailedQueues">Queues that have to be deleted and created again.</param>
/// <param name="Journal">Why sends are refused; null: the data folder can be written, or there is none.</param>
internal sealed record BrokerHealth(string Status, long Defects, IReadOnlyList<string> FailedQueues, string? Journal)
{
    [JsonIgnore]
    public bool IsHealthy => FailedQueues.Count == 0 && Journal is null;

    public static BrokerHealth Of(ServiceBusNamespace entities)
    {
        var failed = entities.All.Where(queue => queue.Failure is not null).Select(queue => queue.Name).ToList();
        var trouble = entities.Journal.Trouble;
        return new(
            failed.Count == 0 && trouble is null ? "Healthy" : "Degraded",
            entities.Defects.Count,
            failed,
            trouble
        );
    }
}
